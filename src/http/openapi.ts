import * as z from "zod";
import type { Config } from "../config.ts";
import { PROBLEMS } from "../problems.ts";
import { MAX_KEY_CHARACTERS } from "../service/idempotencyKey.ts";
import { limits } from "../service/limits.ts";
import { PRODUCTS, type Product, priceLabel, priceLabels } from "../service/products.ts";
import { purchases } from "../service/purchases.ts";
import { result } from "../service/schemas.ts";
import { SIGN_IN } from "../service/signIn.ts";
import { HEALTH } from "./health.ts";
import { PURCHASES } from "./purchases.ts";

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
    idempotency_key: {
      type: "string",
      description: "Given to a call that sent none, while its payment is pending: send it with the next attempt.",
    },
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
      [PURCHASES]: { get: readPurchases },
      "/v1/limits": { get: readLimits },
      [HEALTH]: { get: readHealth },
    },
    components: {
      schemas: {
        Problem: problem,
        Result: plain(z.toJSONSchema(result.extend({ cost: z.literal(priceLabels(config)) }))),
        Limits: plain(z.toJSONSchema(limits)),
        Purchases: plain(z.toJSONSchema(purchases)),
      },
    },
  };
}

function operation({ summary, schemas, price }: Product, config: Config) {
  return {
    summary,
    description: `Costs ${price(config).label}.`,
    parameters: [paymentHeader("X-PAYMENT", 1), paymentHeader("PAYMENT-SIGNATURE", 2), keyHeader, signInHeader],
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
              "for a transparent mark (PDF/A-1 allows none), `pdfa-color` for an image in colours that the file may not have. " +
              "`payment-not-settled`: an earlier payment under the same Idempotency-Key has paid; the one sent lapses.",
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
        "The payment has been used: for another request, for a link that has ended, or without the Idempotency-Key that shows whose it is. Nothing more was charged.",
      ),
      422: problemResponse(
        "The file or the mark cannot be used, or the Idempotency-Key was used for another request. Nothing was charged.",
      ),
      429: problemResponse(
        "Too many calls without a valid payment from this address in a minute; or the payer has as many payments in use " +
          "as it may, or has had as much work done in an hour that was not charged (`payer_…` in `/v1/limits`). Nothing " +
          "was charged. Retry-After says when to call again.",
      ),
      "4XX": problemResponse("The request cannot be done as sent. Nothing was charged."),
      503: problemResponse(
        "Not now: try again after Retry-After, with an Idempotency-Key: under the same one a request is charged once. `settlement_pending`: the payment may still move.",
      ),
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

const keyHeader = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: MAX_KEY_CHARACTERS, pattern: "^[ -~]*$" },
  description:
    "A name for this call that nobody can guess, such as a UUID. Calls of a payer with the same key and request are charged once, whether they send the same payment or sign anew, and have the same result as long as its link works. With another request it is a 422. A `payment-identifier` counts as one where this header is not sent.",
};

const signInHeader = {
  name: SIGN_IN,
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "A message signed with the key that pays (x402 extension sign-in-with-x): base64 of JSON, good for five minutes. It shows who the payer is, where a payment that was settled, and so is public, does not.",
};

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

const readPurchases = {
  summary: "What the payer who signs in has bought, as far as its links still work",
  parameters: [
    signInHeader,
    { name: "before", in: "query", required: false, schema: { type: "string" }, description: "`next` of a page." },
  ],
  responses: {
    200: {
      description: "The newest first, a hundred at a time.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Purchases" } } },
    },
    402: {
      ...problemResponse("Not signed in. Nothing is to be paid."),
      headers: { "PAYMENT-REQUIRED": header("What to sign, in `extensions`: base64 of JSON.") },
    },
    403: problemResponse("The sign-in is not valid; the detail says why."),
    429: tooMany("sign-ins that are not valid"),
  },
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
