import { CLIENTS, type ShownCall, tokensOf } from "./snippets.ts";

/**
 * Shows the current call as code for each kind of client. Radio buttons select the client, so the panel works without
 * scripts.
 */
export function SnippetPanel({ call }: { call: ShownCall }) {
  return (
    <section class="snippets" aria-labelledby="snippets-title">
      <h3 id="snippets-title">The same call in code</h3>
      <p id="copied" class="unseen" role="status" />
      <fieldset class="tabs">
        <legend class="unseen">Client</legend>
        {CLIENTS.map(({ id, label }, index) => (
          <label>
            <input type="radio" name="client" value={id} checked={index === 0} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {CLIENTS.map(({ id, label, write }) => (
        <div class="snippet" data-client={id}>
          <p class="bar">
            <span>{label}</span>
            <button type="button" class="copy" data-copies={`snippet-${id}`} aria-label={`Copy the ${label} snippet`}>
              Copy
            </button>
          </p>
          <pre id={`snippet-${id}`} tabindex={0}>
            <code>
              {tokensOf(write(call)).map(({ kind, text }) =>
                kind === "plain" ? text : <span class={kind}>{text}</span>,
              )}
            </code>
          </pre>
        </div>
      ))}
    </section>
  );
}
