import * as z from "zod";
import { publishedLinks } from "../../service/about/catalogs.ts";
import { guidance } from "../../service/about/guide.ts";
import { healthSchema } from "../../service/about/health.ts";
import { limits } from "../../service/about/limits.ts";
import { purchases } from "../../service/account/purchases.ts";
import { jsonSchema } from "../../service/request/jsonSchema.ts";
import { result } from "../../service/request/schemas.ts";
import {
  UPLOADS_PATH,
  uploadedPart,
  uploadedParts,
  uploadOffer,
  uploadPartsReceipt,
  uploadReceipt,
  uploadRequest,
} from "../../service/request/uploads.ts";
import { PRODUCTS, priceLabel, priceLabels } from "../../service/sale/products.ts";
import { PAY_PATH, QUOTES_PATH, quoteOffer, quoteRequest, quoteResult } from "../../service/sale/quoteSchemas.ts";
import { takesMpp } from "../../service/sale/sentPayments.ts";
import { COMPLETE, PARTS } from "../../service/sale/uploadParts.ts";
import type { Config } from "../../settings/config.ts";
import { CHANNEL } from "../channel.ts";
import { HEALTH } from "../health.ts";
import { PURCHASES } from "../purchases.ts";
import { downloadOperation, linkParameters, revokeOperation } from "./links.ts";
import { mppSchemas } from "./mpp.ts";
import { answer, encoded, header, json, problemSchema, problems, ref } from "./parts.ts";
import {
  claimParameters,
  idParameters,
  payLink,
  readClaimOperation,
  requestLink,
  showLink,
  withdrawClaimOperation,
} from "./quotes.ts";
import { requestSchemas, saleOf, signInHeader } from "./sale.ts";
import {
  completeOperation,
  listPartsOperation,
  partParameters,
  requestUpload,
  sendFile,
  sendPart,
  showUpload,
  uploadParameters,
} from "./uploads.ts";
import { paymentSchemas, securitySchemes } from "./x402.ts";

/**
 * Returns the OpenAPI 3.1 description of the service. The schemas of requests and results are generated from the
 * schemas that validate them.
 */
export function openapi(origin: string, config: Config) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Overprint",
      version: "1",
      summary: "PDF watermarking, paid per call",
      description: `Watermarks PDFs. Each call costs ${priceLabel(config)}, paid with x402. Call without a payment to get a 402 with the terms, sign them, and call again with the payment. The service accepts x402 versions 1 and 2${takesMpp(config) ? ", and MPP (the HTTP authentication scheme Payment)" : ""}.`,
      contact: { name: "Overprint", url: origin, ...(config.contactEmail && { email: config.contactEmail }) },
      ...(config.links.terms && { termsOfService: config.links.terms }),
      license: { name: "MIT", identifier: "MIT" },
      "x-guidance": guidance(origin, config),
      "x-links": publishedLinks(origin, config),
    },
    servers: [{ url: origin }],
    tags: [
      {
        name: "Watermark",
        description:
          "Each paid call watermarks every page of a PDF. Send the PDF as a URL, an upload handle, a form part or the request body.",
      },
      {
        name: "Uploads",
        description: "Free temporary storage for files without a URL. Uploads last one hour and cannot be downloaded.",
      },
      {
        name: "Payment links",
        description: "Pages where a person pays for a call that somebody else has prepared. Creating one is free.",
      },
      { name: "Links", description: "Download links of results. A link works until it expires or is revoked." },
      { name: "Purchases", description: "The purchases of a payer." },
      { name: "Service", description: "Limits and health of this deployment." },
    ],
    paths: {
      ...Object.fromEntries(PRODUCTS.map((product) => [product.path, { post: saleOf(product, origin, config) }])),
      [UPLOADS_PATH]: { post: requestUpload(config) },
      [`${UPLOADS_PATH}/{id}`]: { parameters: uploadParameters, get: showUpload, put: sendFile },
      [`${UPLOADS_PATH}/{id}${PARTS}`]: { parameters: uploadParameters, get: listPartsOperation },
      [`${UPLOADS_PATH}/{id}${PARTS}/{number}`]: { parameters: partParameters, put: sendPart },
      [`${UPLOADS_PATH}/{id}${COMPLETE}`]: { parameters: uploadParameters, post: completeOperation },
      [QUOTES_PATH]: { post: requestLink },
      [`${QUOTES_PATH}/{claim}`]: {
        parameters: claimParameters,
        get: readClaimOperation,
        delete: withdrawClaimOperation,
      },
      [`${QUOTES_PATH}/{id}${PAY_PATH}`]: { parameters: idParameters, post: payLink(config) },
      [`${PAY_PATH}/{id}`]: { parameters: idParameters, get: showLink },
      "/v1/files/{id}.pdf": { parameters: linkParameters, get: downloadOperation, delete: revokeOperation },
      ...(config.channels && { [CHANNEL]: { get: refundChannelOperation } }),
      [PURCHASES]: { get: listPurchases },
      "/v1/limits": { get: limitsOperation },
      [HEALTH]: { get: checkHealth },
    },
    security: [], // no authentication by default, because the paid operations need no account
    components: {
      schemas: {
        ...requestSchemas(),
        Result: jsonSchema(result.extend({ cost: z.literal(priceLabels(config)) })),
        UploadRequest: jsonSchema(uploadRequest(), { io: "input" }),
        UploadOffer: jsonSchema(uploadOffer()),
        UploadReceipt: jsonSchema(uploadReceipt()),
        UploadedPart: jsonSchema(uploadedPart()),
        UploadedParts: jsonSchema(uploadedParts()),
        UploadPartsReceipt: jsonSchema(uploadPartsReceipt()),
        QuoteRequest: jsonSchema(quoteRequest(), { io: "input" }),
        QuoteOffer: jsonSchema(quoteOffer()),
        QuoteResult: jsonSchema(quoteResult()),
        Limits: jsonSchema(limits()),
        Purchases: jsonSchema(purchases()),
        Health: jsonSchema(healthSchema()),
        ...paymentSchemas,
        ...(takesMpp(config) && mppSchemas),
        Problem: problemSchema,
      },
      headers: {
        RequestId: header("Identifies this request: the caller's own X-Request-Id, or a generated one."),
        RetryAfter: header("Seconds to wait before the next attempt.", { type: "integer" }),
      },
      securitySchemes,
    },
  };
}

const refundChannelOperation = {
  operationId: "refundChannel",
  tags: ["Purchases"],
  summary: "Refund a payment channel",
  description:
    "Pays the rest of a payment channel back to its payer. Send a payload of the type `refund` in PAYMENT-SIGNATURE. Without it, the answer has the terms of channels. Free.",
  security: [],
  responses: {
    200: answer("The receipt of the refund.", { content: json(ref("schemas", "PaymentReceipt")) }),
    402: answer("The terms of channels, or why the refund was refused.", {
      headers: { "PAYMENT-REQUIRED": header("The terms of channels.", encoded("PaymentRequiredV2")) },
    }),
    ...problems([
      "payment_in_progress",
      "settlement_pending",
      "facilitator_unavailable",
      "too_many_requests",
      "not_configured",
      "internal_error",
    ]),
  },
};

const ALLOW = { Allow: header("The allowed methods.") };

const listPurchases = {
  operationId: "listPurchases",
  tags: ["Purchases"],
  summary: "List purchases",
  description: "Lists the signed-in payer's purchases whose links still work, newest first, up to 100 per page. Free.",
  security: [{ siwx: [] }],
  parameters: [
    signInHeader,
    {
      name: "before",
      in: "query",
      required: false,
      schema: { type: "string" },
      description: "The `next` value of the previous page.",
    },
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
        {
          notes: {
            402: "Sign in to list purchases. Nothing is charged.",
            429: "Too many invalid sign-ins from this address.",
          },
        },
      ),
    ),
  },
};

/** Adds the header with the sign-in message to the description of the 402 response. */
function withHeaders(responses: ReturnType<typeof problems>) {
  const terms = header("The sign-in message to sign, in `extensions`.", encoded("PaymentRequiredV2"));
  const { 402: unsigned, ...others } = responses;
  return { ...others, 402: { ...unsigned, headers: { ...unsigned!.headers, "PAYMENT-REQUIRED": terms } } };
}

const limitsOperation = {
  operationId: "readLimits",
  tags: ["Service"],
  summary: "List limits",
  description: "Lists every limit of this deployment. Field names end with the unit.",
  security: [],
  responses: {
    200: answer("The limits.", { content: json(ref("schemas", "Limits")) }),
    ...problems(["method_not_allowed", "not_configured", "internal_error"], { headers: { 405: ALLOW } }),
  },
};

const checkHealth = {
  operationId: "checkHealth",
  tags: ["Service"],
  summary: "Health check",
  description:
    "Reports whether settings, bindings and facilitators work, and the build. Facilitators are queried at most once a minute.",
  security: [],
  responses: {
    200: answer("`pass`, or `warn` if some configured networks or options do not work.", {
      content: json(ref("schemas", "Health")),
    }),
    503: answer("`fail`: this deployment cannot sell anything.", { content: json(ref("schemas", "Health")) }),
    ...problems(["method_not_allowed"], { headers: { 405: ALLOW } }),
  },
};
