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

/** Enables the copy buttons. Each button confirms the copy for two seconds. */
export function enableCopying(): void {
  const announcement = document.getElementById("copied")!;
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copies]"))
    button.addEventListener("click", async () => {
      const code = document.getElementById(button.dataset.copies!)!;
      const copied = await navigator.clipboard.writeText(code.textContent!).then(
        () => true,
        () => false,
      );
      if (!copied) getSelection()?.selectAllChildren(code); // selects the code, so that the visitor can copy it with the keyboard
      const said = copied ? "Copied" : "Selected";
      button.textContent = said;
      announcement.textContent = said;
      setTimeout(() => {
        button.textContent = "Copy";
        announcement.textContent = "";
      }, 2000);
    });
}
