import type { NoticeCode } from "../../engine/index.ts";

/**
 * The notice of a call for whose result an earlier payment has paid. The earlier payment had the same idempotency key
 * or the same content.
 */
export const PAID_EARLIER = "payment-not-settled";

/** The text of each notice, for people and models. `{pages}` stands for the page numbers that the notice contains. */
export const NOTICES: Record<NoticeCode | typeof PAID_EARLIER, string> = {
  "signatures-invalidated": "The source was signed. Its signatures are no longer valid.",
  "attachments-not-marked": "The source is a portfolio. The files attached to it are not watermarked.",
  "xfa-removed": "The source is an XFA form. The result contains its pages, but no longer its XFA data.",
  "source-repaired": "The source was damaged and has been repaired. Compare the result with the source.",
  "pages-missing": "The source is damaged. It lists pages that cannot be found or read, so they are not in the result.",
  "pdfx-broken":
    "The source is PDF/X. The result is not, because the mark is transparent or colored. Use layer under, and gray for images.",
  "pdfa-transparency": "The source is PDF/A, but the result is not, because the mark is transparent. Use layer under.",
  "pdfa-color":
    "The source is PDF/A, but the result is not, because the file does not allow the image's colors. Use an RGB image.",
  "mark-covered":
    "An annotation, such as a form field, or the page's own background with layer under, covers the mark: {pages}.",
  "mark-invisible": "The mark cannot be seen on white paper. Raise its opacity or use a darker color.",
  "mark-outside": "The offset moves the mark off the page: {pages}. Use a smaller `offset_x` or `offset_y`.",
  "text-cut":
    "The text is too long for a page and was cut short there: {pages}. Use a shorter text or another template.",
  [PAID_EARLIER]:
    "An earlier payment for this call was charged. The payment sent now was not settled and expires unused. To buy the result again, send a new idempotency key.",
};

/** Returns the text of a notice. Returns the notice itself if its code is unknown. */
export function noticeText(notice: string, texts: typeof NOTICES = NOTICES): string {
  const [, code = "", pages = ""] = /^([^;]*)(?:;pages="([^"]*)")?$/.exec(notice) ?? [];
  if (!Object.hasOwn(texts, code)) return notice;
  const listed = `${/^\d+$/.test(pages) ? "page" : "pages"} ${pages.replaceAll(" ", ", ")}`;
  return texts[code as keyof typeof NOTICES].replace("{pages}", listed);
}
