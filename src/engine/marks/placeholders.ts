import { digitPlaceholders } from "../fonts/digitPlaceholders.ts";

/** Maximum length of a file's name, in Unicode code points. */
const MAX_NAME_CHARACTERS = 200;
/** File name that replaces `{filename}` if the source has no name. */
const UNNAMED = "document.pdf";

const longDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Formats of the placeholder `{date}`, by the name of the format. Dates are in UTC. */
const DATES: Record<string, (date: Date) => string> = {
  iso: (date) => date.toISOString().slice(0, 10),
  long: (date) => longDate.format(date),
  us: (date) => date.toISOString().replace(/^(\d+)-(\d+)-(\d+)T.*/, "$2/$3/$1"),
  eu: (date) => date.toISOString().replace(/^(\d+)-(\d+)-(\d+)T.*/, "$3.$2.$1"),
};

/** Examples of all placeholders in texts, without their braces. The digit in `page:6` is the number of digits. */
export const PLACEHOLDERS = [
  "page",
  "page:6",
  "pages",
  "date",
  ...Object.keys(DATES).map((format) => `date:${format}`),
  "time",
  "filename",
];

/** Values that replace placeholders. */
export interface PlaceholderValues {
  /** Number of pages. */
  pages: number;
  /** Number of the first page. */
  pageStart: number;
  date: Date;
  /** Name or path of the source, if it is known. */
  filename?: string | undefined;
}

/**
 * Functions by the name of the placeholder. Each function returns the replacement, or undefined for an unknown format.
 */
const REPLACEMENTS: Record<string, (format: string | undefined, values: PlaceholderValues) => string | undefined> = {
  page: (format, values) =>
    format === undefined || /^[1-9]$/.test(format)
      ? digitPlaceholders(String(lastNumber(values)).length, Number(format ?? 0))
      : undefined,
  pages: unformatted(({ pages }) => String(pages)),
  date: (format = "iso", { date }) => (Object.hasOwn(DATES, format) ? DATES[format]!(date) : undefined),
  time: unformatted(({ date }) => `${date.toISOString().slice(11, 16)}Z`),
  filename: unformatted(({ filename = "" }) => plainNameOf(filename) || UNNAMED),
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
 * Returns the possible numbers of digits of a page number, in descending order. Returns an empty list if `text` does
 * not contain the page number, because the text is then the same on all pages.
 */
export function digitCounts(text: string, values: PlaceholderValues): number[] {
  const isNumbered = Array.from(text.matchAll(BRACED)).some(([, name]) => name === "page");
  const [least, most] = [values.pageStart, lastNumber(values)].map((number) => String(number).length) as [
    number,
    number,
  ];
  return isNumbered ? Array.from({ length: most - least + 1 }, (_, at) => most - at) : [];
}

/**
 * Replaces placeholders and the escape `{{`. Replaces `{page}` by a digit placeholder for each digit of the highest
 * page number, and `{page:6}` by at least six digit placeholders.
 */
export function fillIn(text: string, values: PlaceholderValues): string {
  return text.replace(BRACED, (braced, name?: string, format?: string) =>
    name === undefined ? "{" : (replacementOf(name, format, values) ?? braced),
  );
}

function replacementOf(name: string, format: string | undefined, values: PlaceholderValues): string | undefined {
  return Object.hasOwn(REPLACEMENTS, name) ? REPLACEMENTS[name]!(format, values) : undefined;
}

function unformatted(fill: (values: PlaceholderValues) => string) {
  return (format: string | undefined, values: PlaceholderValues) => (format === undefined ? fill(values) : undefined);
}

/** Returns a file's name without its folder and without control characters. A long name is cut. */
function plainNameOf(path: string): string {
  const name = path.replace(/^.*[/\\]/s, "").replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, "");
  return [...name.toWellFormed()].slice(0, MAX_NAME_CHARACTERS).join("").trim();
}

function lastNumber({ pages, pageStart }: PlaceholderValues): number {
  return pageStart + pages - 1;
}
