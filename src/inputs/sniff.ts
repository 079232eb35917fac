import { Problem } from "../problems.ts";

const WEB_PAGE = /^\s*<(!doctype html|html|head|body)[\s>]/i;

/**
 * Says plainly that a web page came where a PDF was meant: share links of file hosts lead to one.
 * @throws Problem not_a_pdf
 */
export function refuseWebPage(bytes: Uint8Array): void {
  if (WEB_PAGE.test(new TextDecoder("latin1").decode(bytes.subarray(0, 256))))
    throw new Problem("not_a_pdf", "This is a web page, not a PDF. Use the direct download link of the file.");
}
