import * as z from "zod";
import { guidance } from "../../service/about/guide.ts";
import { healthSchema } from "../../service/about/health.ts";
import { purchases } from "../../service/account/purchases.ts";
import { limits } from "../../service/limits/limits.ts";
import { jsonSchema } from "../../service/request/jsonSchema.ts";
import { result } from "../../service/request/schemas.ts";
import { UPLOADS_PATH, uploadOffer, uploadReceipt, uploadRequest } from "../../service/request/uploads.ts";
import { PRODUCTS, priceLabel, priceLabels } from "../../service/sale/products.ts";
import type { Config } from "../../settings/config.ts";
import { HEALTH } from "../health.ts";
import { PURCHASES } from "../purchases.ts";
import { downloadOperation, endOperation, linkParameters } from "./links.ts";
import { answer, encoded, header, json, problemSchema, problems, ref } from "./parts.ts";
import { requestSchemas, saleOf, signInHeader } from "./sale.ts";
import { requestUpload, sendFile, showUpload, slotParameters } from "./uploads.ts";
import { paymentSchemas, securitySchemes } from "./x402.ts";

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
      summary: "Watermarks PDFs, paid per call",
      description: `Watermarks PDFs. Each call costs ${priceLabel(config)}, paid with x402: call without payment, read the 402, sign, call again with the payment. x402 versions 1 and 2 are both understood.`,
      contact: { name: "Overprint", url: origin, ...(config.contactEmail && { email: config.contactEmail }) },
      license: { name: "MIT", identifier: "MIT" },
      "x-guidance": guidance(origin, config),
    },
    servers: [{ url: origin }],
    tags: [
      {
        name: "Watermark",
        description:
          "What is sold: each call marks every page of a PDF, which comes as a URL, an upload, a part of a form, or the body by itself.",
      },
      { name: "Uploads", description: "Files without a URL, for an hour: free, and never downloadable." },
      { name: "Links", description: "What was sold, until its link expires or is ended." },
      { name: "Purchases", description: "What a payer has bought." },
      { name: "Service", description: "What is in force, and how the deployment is." },
    ],
    paths: {
      ...Object.fromEntries(PRODUCTS.map((product) => [product.path, { post: saleOf(product, origin, config) }])),
      [UPLOADS_PATH]: { post: requestUpload(config) },
      [`${UPLOADS_PATH}/{id}`]: { parameters: slotParameters, get: showUpload, put: sendFile },
      "/v1/files/{id}.pdf": { parameters: linkParameters, get: downloadOperation, delete: endOperation },
      [PURCHASES]: { get: listPurchases },
      "/v1/limits": { get: readLimits },
      [HEALTH]: { get: checkHealth },
    },
    components: {
      schemas: {
        ...requestSchemas(),
        Result: jsonSchema(result.extend({ cost: z.literal(priceLabels(config)) })),
        UploadRequest: jsonSchema(uploadRequest(), { io: "input" }),
        UploadOffer: jsonSchema(uploadOffer()),
        UploadReceipt: jsonSchema(uploadReceipt()),
        Limits: jsonSchema(limits()),
        Purchases: jsonSchema(purchases()),
        Health: jsonSchema(healthSchema()),
        ...paymentSchemas,
        Problem: problemSchema,
      },
      headers: {
        RequestId: header("Of this call: the caller's own X-Request-Id, or a new one."),
        RetryAfter: header("In how many seconds to call again.", { type: "integer" }),
      },
      securitySchemes,
    },
  };
}

const ALLOW = { Allow: header("The methods that there are.") };

const listPurchases = {
  operationId: "listPurchases",
  tags: ["Purchases"],
  summary: "List what the payer who signs in has bought",
  description: "As far as its links still work: the newest first, a hundred at a time. Nothing is charged.",
  security: [{ signIn: [] }],
  parameters: [
    signInHeader,
    { name: "before", in: "query", required: false, schema: { type: "string" }, description: "`next` of a page." },
  ],
  responses: {
    200: answer("The newest purchases.", { content: json(ref("schemas", "Purchases")) }),
    ...withHeaders(
      problems(
        [
          "invalid_request",
          "sign_in_required",
          "sign_in_refused",
          "too_many_requests",
          "not_configured",
          "internal_error",
        ],
        { notes: { 402: "Nothing is to be paid.", 429: "Too many sign-ins that are not valid from this address." } },
      ),
    ),
  },
};

/** Adds what to sign to the 402 of those who have not signed in. */
function withHeaders(responses: ReturnType<typeof problems>) {
  const terms = header("What to sign, in `extensions`.", encoded("PaymentRequiredV2"));
  const { 402: unsigned, ...others } = responses;
  return { ...others, 402: { ...unsigned, headers: { ...unsigned!.headers, "PAYMENT-REQUIRED": terms } } };
}

const readLimits = {
  operationId: "readLimits",
  tags: ["Service"],
  summary: "Read every limit in force",
  description: "The limits of this deployment, with their units in their names.",
  security: [],
  responses: {
    200: answer("The limits.", { content: json(ref("schemas", "Limits")) }),
    ...problems(["method_not_allowed", "not_configured", "internal_error"], { headers: { 405: ALLOW } }),
  },
};

const checkHealth = {
  operationId: "checkHealth",
  tags: ["Service"],
  summary: "Check how the deployment is",
  description:
    "For its operator: settings, bindings and facilitators, asked once a minute at most; and what it was built from.",
  security: [],
  responses: {
    200: answer("`pass`, or `warn` where not all can be sold that the settings say.", {
      content: json(ref("schemas", "Health")),
    }),
    503: answer("`fail`: nothing can be sold.", { content: json(ref("schemas", "Health")) }),
    ...problems(["method_not_allowed"], { headers: { 405: ALLOW } }),
  },
};
