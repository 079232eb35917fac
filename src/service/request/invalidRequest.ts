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

/** The fields that requests may have. */
interface Fields {
  /** Fields of the requested operation. */
  here: readonly string[];
  /** Returns the name of the other operation that has a field. Returns undefined if no other operation has it. */
  elsewhere(field: string): string | undefined;
  /** Returns the value that was sent for a field. Present only if the value of a field may contain further fields. */
  sent?(field: string): unknown;
}

/** Unknown fields that belong elsewhere in the call, each with the place where it belongs. */
const OUTSIDE: readonly [RegExp, string][] = [
  [/^_meta$/, "`_meta` is a member of `params`, beside `arguments`"],
  [
    /^x402\/payment$|^x.?payment$|^payment(.?(signature|header|payload))?$/i,
    'over MCP, send the payment in `_meta["x402/payment"]` beside `arguments`. Over HTTP, send it in the header `PAYMENT-SIGNATURE` or `X-PAYMENT`',
  ],
];

/** Fields of other services for functions that Overprint lacks, each with an explanation for callers. */
const MISSING_FUNCTIONS: readonly [RegExp, string][] = [
  [/page/i, "every page is marked, and pages cannot be selected"],
  [/bold|italic|weight/i, "`template` selects the weight"],
  [/call.?back|hook|notify|e.?mail/i, "the response has the result, and nothing is sent to another address"],
];

/**
 * Converts the issues of a failed validation to a Problem invalid_request, with one entry in `errors` per wrong field,
 * at most `MAX_ERRORS`.
 */
export function invalidRequest(issues: z.core.$ZodIssue[], fields: Fields): Problem {
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  const meant = new Set(
    unknown.slice(0, MAX_ERRORS).flatMap((key) => [meantField(key, fields), ...wrappedFields(key, fields)]),
  );
  const wrong = issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({ path: key, message: () => unknownField(key, fields) }));
    const path = issue.path.join(".");
    // leaves out the error of the missing field, because the error about the misspelled name is enough
    const isMisnamed = isMissing(issue) && meant.has(path);
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

/** Returns the request fields inside an unknown field. A caller may have put the whole request into this field. */
function wrappedFields(name: string, { here, sent }: Fields): string[] {
  const value = sent?.(name);
  return typeof value === "object" && value !== null ? here.filter((field) => Object.hasOwn(value, field)) : [];
}

function isMissing({ message }: z.core.$ZodIssue): boolean {
  return message.startsWith(REQUIRED);
}

/**
 * Describes an unknown field and suggests a known one. The text continues a sentence that begins with the field's name.
 */
function unknownField(name: string, fields: Fields): string {
  const { here, elsewhere } = fields;
  if (wrappedFields(name, fields).length > 0)
    return "is not a field. Send the fields in it directly, as members of the request";
  const outside = OUTSIDE.find(([names]) => names.test(name));
  if (outside) return `is not a field: ${outside[1]}`;
  const home = elsewhere(name);
  if (home !== undefined) return `is not a field of this operation, but of ${home}`;
  const missing = MISSING_FUNCTIONS.find(([names]) => names.test(name));
  if (missing) return `is not a field: ${missing[1]}`;
  const meant = meantField(name, fields);
  if (meant !== undefined) return `is not a field. Did you mean \`${meant}\`?`;
  return `is not a field. The fields are ${here.map((field) => `\`${field}\``).join(", ")}`;
}

/**
 * Returns the error of a field as a sentence that ends with one period. If the message is a sentence already, it
 * follows the field's name and a colon.
 */
export function sentenceOf({ path, message }: FieldError): string {
  const isSentence = /^\p{Lu}/u.test(message);
  const subject = path === "" ? "The request" : `\`${path}\`${isSentence ? ":" : ""}`;
  const text = path === "" && isSentence ? message : `${subject} ${message}`;
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
