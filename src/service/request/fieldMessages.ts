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
      return issue.input === undefined ? "is required" : `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
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

/** Returns the error message of a required field that is missing or has a value of the wrong type. */
export function takes(what: string): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? `is required: ${what}` : `must be ${what}`);
}

function characters(count: number | bigint): string {
  return `${count} character${count === 1 ? "" : "s"}`;
}
