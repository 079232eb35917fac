import type * as z from "zod";

/**
 * Returns the error message of a field whose schema defines no message. The message completes a sentence that begins
 * with the field's path.
 */
export const payloadMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return "is missing";
  return issue.code === "invalid_type" ? `must be of type ${issue.expected}` : "has a value that is not allowed";
};

/**
 * Describes the first fault of a payment whose validation used {@link payloadMessage}.
 * @param whole the subject of the sentence if the fault is not in a field
 */
export function firstFault({ issues: [issue] }: z.ZodError, whole: string): string {
  return `${issue?.path.join(".") || whole} ${issue?.message}`;
}
