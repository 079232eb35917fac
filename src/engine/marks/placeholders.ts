import { slotsOf } from "../fonts/slot.ts";

/** Examples of all placeholders in texts, without their braces. The digit in `page:6` is the number of digits. */
export const PLACEHOLDERS = ["page", "page:6", "pages", "date"] as const;

/** Values that replace placeholders. */
export interface PlaceholderValues {
  /** Number of pages. */
  pages: number;
  /** Number of the first page. */
  pageStart: number;
  date: Date;
}

/** The replacement of each placeholder. Undefined for an unknown format. */
const REPLACEMENTS: Record<string, (format: string | undefined, values: PlaceholderValues) => string | undefined> = {
  page: (format, values) =>
    format === undefined || /^[1-9]$/.test(format)
      ? slotsOf(String(lastNumber(values)).length, Number(format ?? 0))
      : undefined,
  pages: unformatted(({ pages }) => String(pages)),
  date: unformatted(({ date }) => date.toISOString().slice(0, 10)),
};

const BRACED = /\{\{|\{([a-z_]+)(?::([a-z0-9_-]*))?\}/gi;

/** Returns the first unknown placeholder in a text, without its braces. */
export function unknownPlaceholder(text: string): string | undefined {
  const example = { pages: 1, pageStart: 1, date: new Date(0) };
  const unknown = Array.from(text.matchAll(BRACED)).find(
    ([braced, name, format]) => braced !== "{{" && replacementOf(name!, format, example) === undefined,
  );
  return unknown?.[0].slice(1, -1);
}

/**
 * Returns the possible numbers of digits of a page number, in descending order. Returns none for a text without the page
 * number, which is the same on all pages.
 */
export function digitCounts(text: string, values: PlaceholderValues): number[] {
  const isNumbered = Array.from(text.matchAll(BRACED)).some(([, name]) => name === "page");
  const [least, most] = [values.pageStart, lastNumber(values)].map((number) => String(number).length) as [number, number];
  return isNumbered ? Array.from({ length: most - least + 1 }, (_, at) => most - at) : [];
}

/**
 * Replaces `{pages}`, `{date}` (ISO 8601, UTC) and the escape `{{`. It replaces `{page}` by the slots of the highest page
 * number, and `{page:6}` by at least six slots.
 */
export function fillIn(text: string, values: PlaceholderValues): string {
  return text.replace(BRACED, (braced, name?: string, format?: string) =>
    name === undefined ? "{" : (replacementOf(name, format, values) ?? braced),
  );
}

function replacementOf(name: string, format: string | undefined, values: PlaceholderValues): string | undefined {
  return Object.hasOwn(REPLACEMENTS, name) ? REPLACEMENTS[name]!(format, values) : undefined;
}

function unformatted(valueOf: (values: PlaceholderValues) => string) {
  return (format: string | undefined, values: PlaceholderValues) => (format === undefined ? valueOf(values) : undefined);
}

function lastNumber({ pages, pageStart }: PlaceholderValues): number {
  return pageStart + pages - 1;
}
