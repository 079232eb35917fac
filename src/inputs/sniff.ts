import { Problem } from "../problems.ts";
import { directLink } from "./shareLinks.ts";

/** As far as readers look for a PDF's header behind whatever a server printed before it. */
export const HEAD_LENGTH = 1024;

/** An HTML document's first tag, behind a byte order mark, an XML declaration and comments. */
const WEB_PAGE =
  /^(\xef\xbb\xbf)?(\s|<\?xml[^>]*>|<!--((?!-->).)*-->)*<(!doctype\s+html|html|head|body|title|meta|script)\b/is;
const XML = /^(\xef\xbb\xbf)?\s*<(\?xml|error)\b/i;
const JSON_TEXT = /^(\xef\xbb\xbf)?\s*(\{\s*["}]|\[\s*[{["\]])/;

/**
 * Says plainly what came where a PDF was meant: the web page that a share link leads to, an error in JSON or XML, nothing.
 * Judged by the bytes alone, since servers declare anything; what may be a PDF after all passes.
 * @param head the first {@link HEAD_LENGTH} bytes, or all there are
 * @param source what the request named, for a hint at the direct link
 * @throws Problem not_a_pdf
 */
export function expectPdf(head: Uint8Array, source: unknown): void {
  const text = String.fromCharCode(...head);
  if (text.includes("%PDF-")) return;

  if (text === "") throw new Problem("not_a_pdf", "The file is empty. Check that it is the one you meant.");
  if (WEB_PAGE.test(text)) {
    const link = typeof source === "string" ? directLink(source) : undefined;
    throw new Problem(
      "not_a_pdf",
      `This is a web page, not a PDF. Use the direct download link of the file${link ? `: ${link}` : "."}`,
    );
  }
  const format = JSON_TEXT.test(text) ? "JSON" : XML.test(text) ? "XML" : undefined;
  if (format)
    throw new Problem(
      "not_a_pdf",
      `This is ${format}, not a PDF: a server's error message, perhaps. Look at it yourself.`,
    );
}
