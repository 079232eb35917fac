/** Rewords messages of the API for the visitors of the page. */
import type { EngineErrorCode, NoticeCode } from "../src/engine/index.ts";
import { NOTICES, noticeText } from "../src/service/sale/notices.ts";
import type { Refusal } from "./messages.ts";
import { lengthInWords } from "./units.ts";

/** Plain texts for errors whose message in the API names a field to send. */
const ERRORS: Partial<Record<EngineErrorCode, string>> = {
  password_required: "This PDF needs its password.",
  wrong_password: "This password does not open the PDF. Try another one.",
  modification_not_permitted: "This PDF does not allow changes. Enter its owner password.",
};

/** Advice for callers of the API, who send files, and its counterpart for visitors of the page, who choose files. */
const SENT = "Check that you sent the right file.";
const CHOSEN = "Choose another file.";

/** Plain texts for notices whose message in the API names a field to send. */
const PLAIN_NOTICES: Partial<Record<NoticeCode, string>> = {
  "pdfx-broken":
    "The source is PDF/X. The result is not, because the mark is transparent or colored. Draw the mark under the page’s content, and use a gray image.",
  "pdfa-transparency":
    "The source is PDF/A, but the result is not, because the mark is transparent. Draw the mark under the page’s content.",
  "mark-covered": "A form field, a comment or the page’s own background covers the mark: {pages}.",
  "mark-outside": "The mark is moved off the page: {pages}. Use smaller distances in “Move right” and “Move up”.",
};

/** Returns a notice in plain words. */
export function noticeInPlainWords(notice: string): string {
  return noticeText(notice, { ...NOTICES, ...PLAIN_NOTICES });
}

/** Returns a refusal in plain words. Names of the API are between backquotes. */
export function inPlainWords(refusal: Refusal): Refusal {
  const { code, errors, detail } = refusal;
  const words = code && ERRORS[code];
  if (words) return { ...refusal, detail: words, errors: errors.map((error) => ({ ...error, message: words })) };
  if (code !== undefined || errors.length === 0) return { ...refusal, detail: detail.replace(SENT, CHOSEN) };
  const plain = errors.map(({ path, message }) => ({ path, message: inUnit(path, message) }));
  return { detail: `${plain.map(({ path, message }) => `${named(path)} ${message}`).join("; ")}.`, errors: plain };
}

/** Returns the label of a field and its name in the API. */
function named(path: string): string {
  const label = document.querySelector(`[data-problem="${path}"]`)?.parentElement?.querySelector("[data-label]");
  return label ? `${label.textContent} \`${path}\`` : `\`${path}\``;
}

/** Converts the limit at the end of a message from points into the visitor's unit, if the field is a length. */
function inUnit(path: string, message: string): string {
  if (!document.querySelector(`input[data-length][name="${path}"]`)) return message;
  return message.replace(/-?\d+(\.\d+)?$/, (points) => lengthInWords(Number(points)));
}
