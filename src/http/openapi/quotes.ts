import { PRODUCTS } from "../../service/sale/products.ts";
import { QUOTE_EXAMPLE } from "../../service/sale/quoteSchemas.ts";
import type { Config } from "../../settings/config.ts";
import { answer, header, json, problems, ref } from "./parts.ts";
import { paidResponses, soldProblems } from "./sale.ts";
import { paymentParameters } from "./x402.ts";

/** The path parameter of the page of a payment link: the id of the link. */
export const idParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" }, description: "The id from the link." },
];

/** The path parameter of a claim. With the claim, the creator of a payment link reads or withdraws the link. */
export const claimParameters = [
  { name: "claim", in: "path", required: true, schema: { type: "string" }, description: "The claim, a secret." },
];

const NO_STORE = { "Cache-Control": header("`no-store`: the content is secret.") };
const UNAVAILABLE = [
  "quote_not_found",
  "quote_expired",
  "too_many_requests",
  "not_configured",
  "internal_error",
] as const;

/** The operation `POST` that creates a payment link. */
export const requestLink = {
  operationId: "requestPaymentLink",
  tags: ["Payment links"],
  summary: "Request payment link",
  description:
    "Returns the URL of a page where a person pays for a call, and a claim that gets the result. The arguments are validated now. Name files by URL or upload handle. Free.",
  security: [],
  requestBody: {
    required: true,
    content: { "application/json": { schema: ref("schemas", "QuoteRequest"), example: QUOTE_EXAMPLE } },
  },
  responses: {
    201: answer("The page and the claim.", { headers: NO_STORE, content: json(ref("schemas", "QuoteOffer")) }),
    ...problems(
      [
        "invalid_request",
        "blocked",
        "body_too_large",
        "body_timeout",
        "too_many_requests",
        "not_configured",
        "internal_error",
      ],
      { notes: { 429: "This address has too many payment links at the same time." } },
    ),
  },
};

/** The operation `GET` that returns the state of a payment link. */
export const readClaimOperation = {
  operationId: "readPaymentLink",
  tags: ["Payment links"],
  summary: "Get result",
  description: "Returns whether the link was paid, and then the result. Needs the claim, not the link. Free.",
  security: [],
  responses: {
    200: answer("The state.", { headers: NO_STORE, content: json(ref("schemas", "QuoteResult")) }),
    ...problems([...UNAVAILABLE]),
  },
};

/** The operation `DELETE` that withdraws a payment link. */
export const withdrawClaimOperation = {
  operationId: "withdrawPaymentLink",
  tags: ["Payment links"],
  summary: "Withdraw payment link",
  description: "Ends an unpaid link. Its page then takes no payment. Needs the claim. Free.",
  security: [],
  responses: {
    204: answer("The link was withdrawn."),
    ...problems([...UNAVAILABLE, "quote_sold", "payment_in_progress"]),
  },
};

/** The operation `GET` that shows the page of a payment link. */
export const showLink = {
  operationId: "showPaymentLink",
  tags: ["Payment links"],
  summary: "Payment page",
  description: "Shows the page where a person pays: the price, the file's host, and the settings of the mark.",
  security: [],
  responses: {
    200: answer("The page.", { headers: NO_STORE, content: { "text/html": { schema: { type: "string" } } } }),
    ...problems([...UNAVAILABLE]),
  },
};

/** Returns the operation `POST` that pays for a payment link. */
export function payLink(config: Config) {
  return {
    operationId: "payPaymentLink",
    tags: ["Payment links"],
    summary: "Pay a payment link",
    description:
      "Runs and sells the prepared call, once. The page sends this request. Paid like any other call, and a failed one is not charged.",
    security: [],
    parameters: paymentParameters("Without a payment, the response is a 402."),
    responses: {
      ...paidResponses(config),
      ...problems(["quote_not_found", "quote_expired", "quote_sold", ...soldProblems(PRODUCTS)]),
    },
  };
}
