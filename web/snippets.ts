import { CLIENTS, type ShownCall, tokensOf } from "../src/site/snippets.ts";

/** Stands for the password of the PDF, because snippets are copied and shared. */
const PASSWORD = "YOUR_PDF_PASSWORD";

/** Updates the snippets of all clients for a call. The snippets contain a placeholder instead of the password. */
export function showSnippets({ fields, ...rest }: ShownCall): void {
  const call = { ...rest, fields: "password" in fields ? { ...fields, password: PASSWORD } : fields };
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
