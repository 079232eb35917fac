import * as z from "zod";
import type { Config } from "../config.ts";
import { PROBLEMS } from "../problems.ts";
import { limits } from "../service/limits.ts";
import { PRODUCTS, type Product, priceLabel, priceLabels } from "../service/products.ts";
import { result } from "../service/schemas.ts";
import { HEALTH } from "./health.ts";

const problem = {
  type: "object",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { const: "about:blank" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { enum: Object.keys(PROBLEMS), description: "Stable: program against it." },
    detail: { type: "string", description: "What is wrong and what to do next." },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

const problemResponse = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
});

const header = (description: string) => ({ description, schema: { type: "string" } });

/**
 * Returns the OpenAPI 3.1 description of the service. Its request and result schemas are generated from those that
 * validate.
 */
export function openapi(origin: string, config: Config) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Overprint",
      version: "1",
      description: `Watermarks PDFs. Each call costs ${priceLabel(config)}, paid with x402: call without payment, read the 402, sign, call again with the payment. x402 versions 1 and 2 are both understood.`,
    },
    servers: [{ url: origin }],
    paths: {
      ...Object.fromEntries(PRODUCTS.map((product) => [product.path, { post: operation(product, config) }])),
      "/v1/files/{id}.pdf": { parameters: linkParameters, get: download, delete: end },
      "/v1/limits": { get: readLimits },
      [HEALTH]: { get: readHealth },
    },
    components: {
      schemas: {
        Problem: problem,
        Result: plain(z.toJSONSchema(result.extend({ cost: z.literal(priceLabels(config)) }))),
        Limits: plain(z.toJSONSchema(limits)),
      },
    },
  };
}

function operation({ summary, schemas, price }: Product, config: Config) {
  return {
    summary,
    description: `Costs ${price(config).label}.`,
    parameters: [paymentHeader("X-PAYMENT", 1), paymentHeader("PAYMENT-SIGNATURE", 2)],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: plain(z.toJSONSchema(schemas.json, { io: "input" })) },
        "multipart/form-data": {
          schema: plain(z.toJSONSchema(schemas.form, { io: "input", unrepresentable: "any" })),
        },
      },
    },
    responses: {
      200: {
        description: "Done and paid.",
        headers: {
          "X-PAYMENT-RESPONSE": header("The receipt of a version 1 payment: base64 of JSON."),
          "PAYMENT-RESPONSE": header("The receipt of a version 2 payment: base64 of JSON."),
          "Overprint-Notice": header(
            "What the recipient has to be told, separated by commas: `signatures-invalidated` where the PDF was signed " +
              "(no change leaves a signature valid), `attachments-not-marked` where it is a portfolio (only its own " +
              "pages are marked, not the files attached to it). Where it was PDF/A and is no more: `pdfa-transparency` " +
              "for a transparent mark (PDF/A-1 allows none), `pdfa-color` for an image in colours that the file may not have.",
          ),
        },
        content: { "application/json": { schema: { $ref: "#/components/schemas/Result" } } },
      },
      402: {
        description: "Not paid, or not payable as sent: `error` says why, `accepts` how to pay. Nothing was charged.",
        headers: { "PAYMENT-REQUIRED": header("The same for version 2: base64 of JSON.") },
        content: { "application/json": { schema: { type: "object" } } },
      },
      409: problemResponse(
        "The payment has bought its result: for another request, or with a link that has ended. Nothing more was charged.",
      ),
      429: problemResponse(
        "Too many calls without a valid payment from this address in a minute; or the payer has as many payments in use " +
          "as it may, or has had as much work done in an hour that was not charged (`payer_…` in `/v1/limits`). Nothing " +
          "was charged. Retry-After says when to call again.",
      ),
      "4XX": problemResponse("The request cannot be done as sent. Nothing was charged."),
      "5XX": problemResponse("Something failed. Nothing was charged unless the detail says otherwise."),
    },
  };
}

function paymentHeader(name: string, version: 1 | 2) {
  return {
    name,
    in: "header",
    required: false,
    schema: { type: "string" },
    description: `The signed payment (x402 version ${version}): base64 of JSON. Without any the answer is 402.`,
  };
}

const linkParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" } },
  { name: "token", in: "query", required: true, schema: { type: "string" } },
];

const refusedLinks = {
  403: problemResponse("The token is missing or wrong."),
  404: problemResponse("No such file."),
  410: problemResponse("The link has expired, or its holder has ended it."),
  429: tooMany("links with a wrong token"),
};

const download = {
  summary: "Download a result until it expires",
  responses: {
    200: { description: "The PDF.", content: { "application/pdf": {} } },
    206: { description: "The part of it that Range asked for.", content: { "application/pdf": {} } },
    304: { description: "The copy that If-None-Match or If-Modified-Since names is current." },
    412: problemResponse("The file is not the one that If-Match or If-Unmodified-Since names."),
    416: problemResponse("The file has no such range."),
    ...refusedLinks,
  },
};

const end = {
  summary: "End a link before it expires: its file is deleted, and the payment gives no other",
  responses: { 204: { description: "It has ended." }, ...refusedLinks },
};

const readLimits = {
  summary: "Every limit in force",
  responses: {
    200: {
      description: "The limits, with their units in their names.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Limits" } } },
    },
  },
};

const readHealth = {
  summary: "How the deployment is, for its operator",
  responses: {
    200: {
      description: "`pass`, or `warn` where not all can be sold that the settings say; `problems` says why.",
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["status", "problems"],
            properties: {
              status: { enum: ["pass", "warn", "fail"] },
              problems: { type: "array", items: { type: "string" } },
            },
          },
        },
      },
    },
    503: { description: "`fail`: nothing can be sold. The same fields." },
  },
};

function tooMany(what: string) {
  return problemResponse(`Too many ${what} from this address in a minute. Retry-After says when to call again.`);
}

/** Drops `$schema`: in OpenAPI 3.1 all schemas of a document share one dialect. */
function plain({ $schema, ...schema }: Record<string, unknown>) {
  return schema;
}
