import type * as z from "zod";
import { FIELD_KINDS } from "./fieldKinds.ts";

/** Descriptions of valid values, by zod's name of their type. */
const EXPECTED: Record<string, string | undefined> = {
  ...Object.fromEntries(Object.entries(FIELD_KINDS).map(([kind, { expected }]) => [kind, expected([])])),
  int: "a whole number",
};

/**
 * Returns the error message of a field whose schema defines no message. The message ends a sentence that begins
 * with the field's name. If it is undefined, zod's own message applies.
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

/** Returns the correct spelling of a number or text that only has the wrong type; an empty string for other values. */
function inOtherQuotes(expected: string, input: unknown): string {
  if (expected === "string" && typeof input === "number") return `: write "${input}"`;
  const isNumber = typeof input === "string" && input.trim() !== "" && Number.isFinite(Number(input));
  return isNumber && (expected === "number" || expected === "int") ? `: write ${Number(input)} without quotes` : "";
}

/**
 * Returns the error message of a field whose value is a share, such as 0.5. Callers often send a percentage, which the
 * message converts.
 */
export function takesShare(range: string): z.core.$ZodErrorMap {
  return ({ input }) => {
    const percent = typeof input === "number" ? input : Number(/^\s*(\d+(\.\d+)?)\s*%\s*$/.exec(String(input))?.[1]);
    const advice = percent >= 1 && percent <= 100 ? `: ${percent} % is ${percent / 100}` : "";
    return `must be a number ${range}${advice}`;
  };
}

/** Returns the error message of a required field that is missing or has a value of the wrong type. */
export function takes(what: string): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? `is required: ${what}` : `must be ${what}`);
}

function characters(count: number | bigint): string {
  return `${count} character${count === 1 ? "" : "s"}`;
}
