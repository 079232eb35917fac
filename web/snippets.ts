import { CLIENTS, type ShownCall, tokensOf } from "../src/site/snippets.ts";

/** Updates the snippets of all clients for a call. */
export function showSnippets(call: ShownCall): void {
  for (const { id, write } of CLIENTS) {
    const code = document.querySelector(`#snippet-${id} code`)!;
    code.replaceChildren(
      ...tokensOf(write(call)).map(({ kind, text }) => {
        if (kind === "plain") return text;
        const span = document.createElement("span");
        span.className = kind;
        span.textContent = text;
        return span;
      }),
    );
  }
}
