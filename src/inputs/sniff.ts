import { Problem } from "../shared/problems.ts";
import { directLink, directLinkOfPage } from "./shareLinks.ts";

/**
 * Number of bytes at the beginning of a file in which readers search for the PDF header. Servers sometimes write other
 * bytes before the header.
 */
export const HEAD_LENGTH = 1024;

/** The first tag of an HTML document, after a byte order mark, an XML declaration and comments. */
const WEB_PAGE =
  /^(\xef\xbb\xbf)?(\s|<\?xml[^>]*>|<!--((?!-->).)*-->)*<(!doctype\s+html|html|head|body|title|meta|script)\b/is;
const XML = /^(\xef\xbb\xbf)?\s*<(\?xml|error)\b/i;
const JSON_TEXT = /^(\xef\xbb\xbf)?\s*(\{\s*["}]|\[\s*[{["\]])/;

/** Formats that callers often send by mistake, recognized by their first bytes. */
const OTHER_FORMATS: readonly [RegExp, string][] = [
  [/^(.{4}ftyp|\x1a\x45\xdf\xa3|RIFF.{4}AVI )/s, "a video"],
  [/^(\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP)/s, "an image"],
  [/^(ID3|OggS|fLaC|RIFF.{4}WAVE)/s, "audio"],
  [/^PK\x03\x04/, "a ZIP archive or an Office document"],
  [/^\xd0\xcf\x11\xe0/, "an Office document"],
  [/^(\x1f\x8b|7z\xbc\xaf|Rar!)/, "an archive"],
];

/**
 * Checks that the content may be a PDF. The error names the actual content, such as the web page of a share link, an
 * error message in JSON or XML, or an empty file. Ignores the declared content type, which is often wrong.
 * @param head the first {@link HEAD_LENGTH} bytes, or all bytes of a shorter file
 * @param source the value with which the request names the file, used to suggest a direct link
 * @throws Problem not_a_pdf
 */
export function expectPdf(head: Uint8Array, source: unknown): void {
  const text = String.fromCharCode(...head);
  if (text.includes("%PDF-")) return;

  if (text === "") throw new Problem("not_a_pdf", "The file is empty. Check that you sent the right file.");
  if (WEB_PAGE.test(text)) {
    const link = typeof source === "string" ? directLink(source) : undefined;
    throw webPage(link);
  }
  const other = OTHER_FORMATS.find(([beginning]) => beginning.test(text));
  if (other) throw new Problem("not_a_pdf", `This is ${other[1]}, not a PDF. Convert it first.`);
  const format = JSON_TEXT.test(text) ? "JSON" : XML.test(text) ? "XML" : undefined;
  if (format)
    throw new Problem(
      "not_a_pdf",
      `This is ${format}, not a PDF. It may be a server's error message: open the link in a browser to check.`,
    );
}

/**
 * Rejects a share link that leads to a web page, before it is fetched.
 * @throws Problem not_a_pdf
 */
export function expectFileLink(address: string): void {
  const link = directLinkOfPage(address);
  if (link !== undefined) throw webPage(link);
}

/** Creates the Problem for a web page that was sent as a file. @param link the direct link of the file, if known */
function webPage(link: string | undefined): Problem {
  return new Problem(
    "not_a_pdf",
    `This is a web page, not a PDF. Use the file's direct download link${link ? `: ${link}` : "."}`,
  );
}
