import type * as z from "zod";
import { UPLOAD_FIRST } from "../../inputs/upload.ts";
import { shownName } from "../../shared/problems.ts";
import { FIELD_KINDS } from "./fieldKinds.ts";

/** Descriptions of valid values, by zod's name of their type. */
const EXPECTED: Record<string, string | undefined> = {
  ...Object.fromEntries(Object.entries(FIELD_KINDS).map(([kind, { expected }]) => [kind, expected([])])),
  int: "a whole number",
};

/**
 * Returns the error message of a field whose schema defines no message. The message ends a sentence that begins with
 * the field's name. Returns undefined if zod's own message should be used.
 */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "object") return "must be an object of fields";
      if (issue.input === undefined) return "is required";
      return `must be ${EXPECTED[issue.expected] ?? issue.expected}${inOtherQuotes(issue.expected, issue.input)}`;
    case "invalid_value":
      return `must be ${FIELD_KINDS.choice.expected(issue.values.map(String))}`;
    case "too_small":
      if (issue.origin === "string") return `must have at least ${characters(issue.minimum)}`;
      return `must be ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `must have at most ${characters(issue.maximum)}`;
      return `must be ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
    default:
      return undefined;
  }
};

/** Lengths of units in points. */
const POINTS: Record<string, number> = { pt: 1, in: 72, inch: 72, mm: 72 / 25.4, cm: 72 / 2.54, px: 0.75 };

/**
 * Returns advice on how to write a value that was sent with the wrong type, such as a number in quotes. Returns an
 * empty string for other values.
 */
function inOtherQuotes(expected: string, input: unknown): string {
  if (expected === "string" && typeof input === "number") return `: write "${input}"`;
  if (typeof input !== "string" || (expected !== "number" && expected !== "int")) return "";
  if (input.trim() !== "" && Number.isFinite(Number(input))) return `: write ${Number(input)} without quotes`;
  const [, number, unit = ""] = /^\s*([+-]?\d{1,6}(?:\.\d{1,6})?)\s*([a-z°]{1,7})\s*$/i.exec(input) ?? [];
  if (number === undefined) return "";
  const points = POINTS[unit.toLowerCase()];
  if (points === undefined || points === 1) return `: write ${Number(number)}, without the unit`;
  return `: lengths are in points, so ${shownName(input.trim())} is ${Math.round(Number(number) * points * 10) / 10}`;
}

/** Returns a text or a number as text. Returns an empty text for other values, because converting them may throw. */
function textOf(input: unknown): string {
  return typeof input === "string" || typeof input === "number" ? String(input) : "";
}

/**
 * Returns the error message of a field whose value is a fraction, such as 0.5. Callers often send a percentage, which
 * the message converts.
 */
export function takesShare(range: string): z.core.$ZodErrorMap {
  return ({ input }) => {
    const [, number, sign] = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(textOf(input).trim()) ?? [];
    const share = Number(number);
    const isQuoted = typeof input === "string" && sign === "" && share > 0 && share <= 1;
    if (isQuoted) return `must be a number ${range}: write ${share} without quotes`;
    return `must be a number ${range}${share >= 1 && share <= 100 ? `: ${share} % is ${share / 100}` : ""}`;
  };
}

/** Returns the error message of a field that accepts a color: `#rrggbb`. */
export const takesColor: z.core.$ZodErrorMap = ({ input }) => {
  const expected = "must be #rrggbb, such as #cc0000";
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(textOf(input)) ?? [];
  if (digits?.length === 8) return `${expected}: send the opacity in the field \`opacity\``;
  if (digits === undefined) return expected;
  return `${expected}: write #${digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits}`;
};

/**
 * Returns the error message of a file that is sent as text in an unknown form. Callers often send a name that only they
 * can open, such as a path or an attachment in their chat.
 */
export function takesFile(base64: string): z.core.$ZodErrorMap {
  return ({ input }) => {
    const text = textOf(input);
    if (/^\s+(https?:|data:|upload:)/i.test(text)) return "begins with white space. Remove it";
    if (/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}\/\S*$/i.test(text))
      return `is a URL without its scheme. Write https://${shownName(text)}`;
    return `must be an http(s) URL, a data URI, the handle of an upload or ${base64}; a path or an attachment on your side cannot be read from here: ${UPLOAD_FIRST}`;
  };
}

/** Returns the error message of a required field that is missing or has a value of the wrong type. */
export function takes(what: string): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? `is required: ${what}` : `must be ${what}`);
}

function characters(count: number | bigint): string {
  return `${count} character${count === 1 ? "" : "s"}`;
}
