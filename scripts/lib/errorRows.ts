/** One error code, as docs/errors.md explains it. */
export interface ErrorRow {
  code: string;
  cause: string;
  remedy: string;
}

/** Reads the table rows of docs/errors.md that explain an error code. Links become their text. */
export function errorRows(markdown: string): ErrorRow[] {
  return Array.from(
    markdown.matchAll(/^\| `(\w+)` \| \d{3} \| (.+) \| (.+) \|$/gm),
    ([, code = "", cause = "", remedy = ""]) => ({ code, cause: withoutLinks(cause), remedy: withoutLinks(remedy) }),
  );
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
