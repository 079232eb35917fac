import { DIGIT_SLOT } from "../fonts/slot.ts";

/** Names of the placeholders in texts. */
export const PLACEHOLDERS = ["page", "pages", "date"] as const;

const BRACED = /\{\{|\{([a-z_]+)\}/gi;

/** Returns the name of the first unknown placeholder in a text, without its braces. */
export function unknownPlaceholder(text: string): string | undefined {
  const names = Array.from(text.matchAll(BRACED), ([, name]) => name);
  return names.find((name) => name !== undefined && !PLACEHOLDERS.includes(name as never));
}

/** Returns whether a text contains the page number. Such a text differs between pages. */
export function isNumbered(text: string): boolean {
  return Array.from(text.matchAll(BRACED)).some(([, name]) => name === "page");
}

/**
 * Replaces `{pages}`, `{date}` (ISO 8601, UTC) and the escape `{{`. It replaces `{page}` by one slot per digit of the
 * highest page number.
 */
export function fillIn(text: string, { pages, date }: { pages: number; date: Date }): string {
  const values: Record<string, string> = {
    page: DIGIT_SLOT.repeat(String(pages).length),
    pages: String(pages),
    date: date.toISOString().slice(0, 10),
  };
  return text.replace(BRACED, (braced, name?: string) => (name === undefined ? "{" : (values[name] ?? braced)));
}

/** Returns a line in which each page number has `digits` slots instead of `maxDigits` slots. */
export function withDigits(line: string, maxDigits: number, digits: number): string {
  return line.replaceAll(DIGIT_SLOT.repeat(maxDigits), DIGIT_SLOT.repeat(digits));
}

/** Replaces the slots of a text by the digits of a page number. The text has one slot for each digit. */
export function withNumber(text: string, number: string): string {
  let digits = 0;
  return text.replaceAll(DIGIT_SLOT, () => number[digits++ % number.length]!);
}
