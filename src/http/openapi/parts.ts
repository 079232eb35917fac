import { MAX_ERRORS } from "../../service/request/invalidRequest.ts";
import { PROBLEMS, type ProblemCode } from "../../shared/problems.ts";

/** Returns a reference to a component of the OpenAPI document. */
export const ref = (kind: "schemas" | "headers", name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Returns the description of a header. */
export const header = (description: string, schema: object = { type: "string" }) => ({ description, schema });

/** Returns the schema of a header that holds base64-encoded JSON. */
export const encoded = (name: string) => ({
  type: "string",
  contentEncoding: "base64",
  contentMediaType: "application/json",
  contentSchema: ref("schemas", name),
});

/** The header that every response has. */
const REQUEST_ID = { "X-Request-Id": ref("headers", "RequestId") };

/** Returns the description of a response that is not a problem. */
export const answer = (
  description: string,
  { headers = {}, ...rest }: { headers?: object; content?: object } = {},
) => ({
  description,
  headers: { ...REQUEST_ID, ...headers },
  ...rest,
});

/** Returns the description of a JSON body. */
export const json = (schema: object, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** Statuses whose responses carry Retry-After. */
const RETRIED = [429, 503];

/**
 * Returns the descriptions of error responses: one per status, with the problem codes of that status.
 * @param notes text to add, by status
 * @param headers headers to add, by status
 * @param examples example problems, by code
 */
export function problems(
  codes: readonly ProblemCode[],
  {
    notes = {},
    headers = {},
    examples = {},
  }: {
    notes?: Partial<Record<number, string>>;
    headers?: Partial<Record<number, object>>;
    examples?: Partial<Record<ProblemCode, object>>;
  } = {},
) {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const lines = codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`);
      const schema = {
        allOf: [
          ref("schemas", "Problem"),
          { type: "object", properties: { status: { const: status }, code: { enum: codes } } },
        ],
      };
      const example = codes.map((code) => examples[code]).find((known) => known !== undefined);
      return [
        status,
        {
          description: [...lines, ...(notes[status] ? [notes[status]] : [])].join("\n\n"),
          headers: {
            ...REQUEST_ID,
            ...(RETRIED.includes(status) && { "Retry-After": ref("headers", "RetryAfter") }),
            ...headers[status],
          },
          content: { "application/problem+json": { schema, ...(example && { example }) } },
        },
      ];
    }),
  );
}

/** The schema of an error in one field. */
export const FIELD_ERROR = {
  type: "object",
  required: ["path", "message"],
  properties: { path: { type: "string" }, message: { type: "string" } },
};

/** The schema of every error except 402 (RFC 9457). */
export const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { type: "string", description: "`about:blank`, or the type that a payment protocol defines for the error." },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(PROBLEMS), description: "A stable code for programs." },
    detail: { type: "string", description: "What is wrong and what to do next." },
    request_id: { type: "string", description: "The X-Request-Id of this request. Quote it when you ask for help." },
    idempotency_key: {
      type: "string",
      description:
        "Present if a call without an idempotency key has a pending payment. Send it as Idempotency-Key with the next attempt.",
    },
    errors: {
      type: "array",
      maxItems: MAX_ERRORS,
      description: "The invalid fields.",
      items: FIELD_ERROR,
    },
  },
};
