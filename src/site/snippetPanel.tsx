import { CLIENTS, type ShownCall, tokensOf } from "./snippets.ts";

/** The panel beside the playground, which shows the current call as code. */
export function SnippetPanel({ call }: { call: ShownCall }) {
  return (
    <section class="snippets" aria-labelledby="snippets-title">
      <h3 id="snippets-title">The same call in code</h3>
      <p id="copied" class="unseen" role="status" />
      <Snippets call={call} group="client" />
    </section>
  );
}

/**
 * A call as code for each kind of client. Radio buttons select the client, so that the tabs work without scripts.
 * @param group name of the radio buttons, unique on the page
 * @param prefix beginning of the ids
 */
export function Snippets({ call, group, prefix = "snippet" }: { call: ShownCall; group: string; prefix?: string }) {
  return (
    <>
      <fieldset class="tabs">
        <legend class="unseen">Client</legend>
        {CLIENTS.map(({ id, label }, index) => (
          <label>
            <input type="radio" name={group} value={id} checked={index === 0} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {CLIENTS.map(({ id, label, write }) => (
        <div class="snippet" data-client={id}>
          <p class="bar">
            <span>{label}</span>
            <button
              type="button"
              class="copy"
              data-copies={`${prefix}-${id}`}
              aria-label={`Copy the ${label} snippet of ${call.path}`}
            >
              Copy
            </button>
          </p>
          <pre id={`${prefix}-${id}`} tabindex={0}>
            <code>
              {tokensOf(write(call)).map(({ kind, text }) =>
                kind === "plain" ? text : <span class={kind}>{text}</span>,
              )}
            </code>
          </pre>
        </div>
      ))}
    </>
  );
}
