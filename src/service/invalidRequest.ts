import leven from "leven";
import type * as z from "zod";
import { type FieldError, Problem, toldName } from "../problems.ts";

/**
 * Converts the issues of a failed validation to a Problem invalid_request, with one entry in `errors` per wrong field.
 */
export function invalidRequest(issues: z.core.$ZodIssue[], schema: z.ZodObject): Problem {
  const fields = Object.keys(schema.shape);
  const errors = issues.flatMap((issue): FieldError[] => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => {
        const path = toldName(key);
        // the distance to a long name takes long, and none is near
        const hint = path === key ? `; did you mean \`${nearest(key, fields)}\`?` : "";
        return { path, message: `unknown field${hint}` };
      });
    return [{ path: issue.path.join("."), message: issue.message }];
  });
  const [first] = errors;
  return new Problem(
    "invalid_request",
    `${first?.path ? `\`${first.path}\`: ` : ""}${first?.message}. \`errors\` lists everything that is wrong; /openapi.json describes each field.`,
    { errors },
  );
}

function nearest(name: string, fields: string[]): string {
  return fields.reduce((best, field) => (leven(name, field) < leven(name, best) ? field : best));
}
