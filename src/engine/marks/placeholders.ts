import { DIGIT_SLOT } from "../fonts/slot.ts";

/** What a text can have filled in, by name. */
export const PLACEHOLDERS = ["page", "pages", "date"] as const;

const BRACED = /\{\{|\{([a-z_]+)\}/gi;

/** The first `{name}` of a text that stands for nothing, without its braces. */
export function unknownPlaceholder(text: string): string | undefined {
  const names = Array.from(text.matchAll(BRACED), ([, name]) => name);
  return names.find((name) => name !== undefined && !PLACEHOLDERS.includes(name as never));
}

/** Whether a text differs between pages. */
export function isNumbered(text: string): boolean {
  return Array.from(text.matchAll(BRACED)).some(([, name]) => name === "page");
}

/** Fills in `{pages}` and `{date}` (ISO 8601, UTC), writes `{{` as a brace, and leaves slots where the page's number goes. */
export function fillIn(text: string, { pages, date }: { pages: number; date: Date }): string {
  const values: Record<string, string> = {
    page: DIGIT_SLOT.repeat(String(pages).length),
    pages: String(pages),
    date: date.toISOString().slice(0, 10),
  };
  return text.replace(BRACED, (braced, name?: string) => (name === undefined ? "{" : (values[name] ?? braced)));
}

/** A line with room for a page number of `digits` digits where it has room for one of `most`. */
export function withDigits(line: string, most: number, digits: number): string {
  return line.replaceAll(DIGIT_SLOT.repeat(most), DIGIT_SLOT.repeat(digits));
}
