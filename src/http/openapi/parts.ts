import { MAX_ERRORS } from "../../service/request/invalidRequest.ts";
import { PROBLEMS, type ProblemCode } from "../../shared/problems.ts";

/** What the parts of the OpenAPI document are put together from. */

/** Refers to a component. */
export const ref = (kind: "schemas" | "headers", name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Describes a header. */
export const header = (description: string, schema: object = { type: "string" }) => ({ description, schema });

/** The schema of a header that has JSON in base64. */
export const encoded = (name: string) => ({
  type: "string",
  contentEncoding: "base64",
  contentMediaType: "application/json",
  contentSchema: ref("schemas", name),
});

/** A header that all answers have. */
const REQUEST_ID = { "X-Request-Id": ref("headers", "RequestId") };

/** Describes an answer that has no problem. */
export const answer = (
  description: string,
  { headers = {}, ...rest }: { headers?: object; content?: object } = {},
) => ({
  description,
  headers: { ...REQUEST_ID, ...headers },
  ...rest,
});

/** Describes an answer in JSON. */
export const json = (schema: object, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** Statuses whose answers say when to call again. */
const RETRIED = [429, 503];

/**
 * Describes the answers for these problems, one for each status, with the codes that it can have.
 * @param notes and headers by status, examples by code
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

/** The shape of every error but 402 (RFC 9457). */
export const problemSchema = {
  type: "object",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { type: "string", const: "about:blank" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(PROBLEMS), description: "Stable: program against it." },
    detail: { type: "string", description: "What is wrong and what to do next." },
    request_id: { type: "string", description: "As in the header X-Request-Id: quote it when you ask for help." },
    idempotency_key: {
      type: "string",
      description: "Given to a call that sent none, while its payment is pending: send it with the next attempt.",
    },
    errors: {
      type: "array",
      maxItems: MAX_ERRORS,
      description: "The fields that are wrong.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};
