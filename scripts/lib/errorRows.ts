import type { Explanation } from "../../src/site/errorsPage.tsx";
import { withoutLinks } from "./withoutLinks.ts";

/** Reads the table rows of docs/errors.md that explain an error code. Replaces links by their text. */
export function errorRows(markdown: string): Explanation[] {
  return Array.from(
    markdown.matchAll(/^\| `(\w+)` \| \d{3} \| (.+) \| (.+) \|$/gm),
    ([, code = "", cause = "", remedy = ""]) => ({ code, cause: withoutLinks(cause), remedy: withoutLinks(remedy) }),
  );
}
