/**
 * Writes the /ActualText of marks (ISO 32000-2, 14.9.4): the text that text extraction finds instead of the glyphs.
 *
 * The tags of this file rely on the differences between readers:
 * - Poppler honors only the tag /Span. The end of an inner /Span also ends the outer /Span.
 * - PDFium ignores marked content around a form XObject, and pdf.js ignores every /ActualText. Both readers extract the
 *   text of the glyphs.
 * - MuPDF honors every tag, and the innermost tag counts. MuPDF uses the positions of the glyphs if their text equals
 *   the /ActualText.
 */

/** Tag that Poppler ignores. Private tags begin with XX (ISO 32000-2, annex E). */
const PRIVATE = "/XXText";

/**
 * Wraps operators so that Poppler and MuPDF extract `text` from the operators. If `text` is empty, both readers extract
 * no text.
 */
export function wordsOf(text: string, operators: string): string {
  return marked("/Span", text, operators);
}

/**
 * Wraps operators that are drawn within the operators of {@link wordsOf}. MuPDF then extracts `text` from the wrapped
 * operators. PDFium also extracts `text`, unless the wrapped operators show a form XObject.
 */
export function glyphText(text: string, ...operators: readonly string[]): string {
  return marked(PRIVATE, text, ...operators);
}

/** Wraps operators that are drawn within the operators of {@link wordsOf}, so that MuPDF extracts no text from them. */
export function hideFromExtraction(...operators: readonly string[]): string {
  return marked(PRIVATE, "", ...operators);
}

function marked(tag: string, text: string, ...operators: readonly string[]): string {
  return [`${tag}<</ActualText${textString(text)}>>BDC`, ...operators, "EMC"].join("\n");
}

/** Returns a text string (ISO 32000-2, 7.9.2.2): ASCII if possible, otherwise UTF-16. */
function textString(text: string): string {
  const bytes = /^[ -~]*$/.test(text) ? text : utf16(text);
  return `(${bytes.replace(/[()\\]/g, "\\$&").replaceAll("\r", "\\r")})`;
}

/** Returns the bytes of a text in big-endian UTF-16 with a byte order mark, one character per byte. */
function utf16(text: string): string {
  return `\ufeff${text}`.replace(/[\s\S]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) >> 8, unit.charCodeAt(0) & 255),
  );
}
