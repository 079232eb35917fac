import type * as z from "zod";
import { type FieldError, Problem, shownName } from "../../shared/problems.ts";
import { nearest } from "./nearest.ts";
import { fieldCalled } from "./otherNames.ts";

/** Beginning of the message of a missing field. */
const REQUIRED = "is required";

/** Maximum number of wrong fields that an error lists. */
export const MAX_ERRORS = 20;

/** Maximum number of wrong fields in the answer to an unpaid call. */
export const MAX_PROBLEMS = 10;

/** The known fields. */
interface Fields {
  /** Fields of this operation. */
  here: readonly string[];
  /** Returns the name of another operation that has this field. */
  elsewhere(field: string): string | undefined;
}

/**
 * Converts the issues of a failed validation to a Problem invalid_request, with one entry in `errors` per wrong field,
 * at most `MAX_ERRORS`.
 */
export function invalidRequest(issues: z.core.$ZodIssue[], fields: Fields): Problem {
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  const meant = new Set(unknown.slice(0, MAX_ERRORS).map((key) => meantField(key, fields)));
  const wrong = issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ path: key, message: () => unknownField(key, fields) }));
    const path = issue.path.join(".");
    const isMisnamed = isMissing(issue) && meant.has(path); // the error about the misspelled name is enough
    return isMisnamed ? [] : [{ path, message: () => issue.message }];
  });
  const errors = wrong
    .slice(0, MAX_ERRORS)
    .map(({ path, message }): FieldError => ({ path: shownName(path), message: message() }));
  const all = wrong.length > MAX_ERRORS ? `the first ${MAX_ERRORS} of ${wrong.length}` : `all ${wrong.length}`;
  const others = wrong.length > 1 ? ` \`errors\` lists ${all} wrong fields.` : "";
  return new Problem("invalid_request", `${sentenceOf(errors[0]!)}${others} See /openapi.json for each field.`, {
    errors,
  });
}

/** Returns the field that an unknown name probably stands for. */
function meantField(name: string, { here, elsewhere }: Fields): string | undefined {
  if (elsewhere(name) !== undefined) return undefined;
  return fieldCalled(name, here) ?? nearest(name, here);
}

function isMissing({ message }: z.core.$ZodIssue): boolean {
  return message.startsWith(REQUIRED);
}

/** Describes an unknown field and suggests a known one: the rest of a sentence that begins with the field's name. */
function unknownField(name: string, fields: Fields): string {
  const { here, elsewhere } = fields;
  if (/page/i.test(name)) return "is not a field: every page is marked, and pages cannot be selected";
  const home = elsewhere(name);
  if (home !== undefined) return `is not a field of this operation, but of ${home}`;
  const meant = meantField(name, fields);
  if (meant !== undefined) return `is not a field. Did you mean \`${meant}\`?`;
  return `is not a field. The fields are ${here.map((field) => `\`${field}\``).join(", ")}`;
}

/** Returns an error as a sentence with one period. */
export function sentenceOf({ path, message }: FieldError): string {
  const text = `${path === "" ? "The request" : `\`${path}\``} ${message}`;
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
