import type * as z from "zod";
import { type FieldError, Problem, shownName } from "../../shared/problems.ts";
import { nearest } from "./nearest.ts";

/** So many wrong fields are named. */
export const MAX_ERRORS = 20;

/** Where the fields are that a request may have. */
interface Fields {
  /** Those of this operation. */
  here: readonly string[];
  /** Returns the other operation that has this field, for callers to read. */
  elsewhere(field: string): string | undefined;
}

/**
 * Converts the issues of a failed validation to a Problem invalid_request, with one entry in `errors` per wrong field,
 * twenty at most.
 */
export function invalidRequest(issues: z.core.$ZodIssue[], fields: Fields): Problem {
  const wrong = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: key, message: () => unknownField(key, fields) }))
      : [{ path: issue.path.join("."), message: () => issue.message }],
  );
  const errors = wrong
    .slice(0, MAX_ERRORS)
    .map(({ path, message }): FieldError => ({ path: shownName(path), message: message() }));
  const listed =
    wrong.length > MAX_ERRORS
      ? `the first ${MAX_ERRORS} of ${wrong.length} things that are wrong`
      : "everything that is wrong";
  return new Problem(
    "invalid_request",
    `${sentenceOf(errors[0]!)} \`errors\` lists ${listed}; /openapi.json describes each field.`,
    { errors },
  );
}

/** Says of a name that is no field's, after that name, what its sender may have meant. */
function unknownField(name: string, { here, elsewhere }: Fields): string {
  if (/page/i.test(name)) return "is not a field: every page is marked, there is no page selection";
  const home = elsewhere(name);
  if (home !== undefined) return `is not a field here, but of ${home}`;
  const meant = nearest(name, here);
  if (meant !== undefined) return `is not a field; did you mean \`${meant}\`?`;
  return `is not a field; there are ${here.map((field) => `\`${field}\``).join(", ")}`;
}

/** Returns an error as a sentence that ends once. */
export function sentenceOf({ path, message }: FieldError): string {
  const text = `${path === "" ? "The request" : `\`${path}\``} ${message}`;
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
