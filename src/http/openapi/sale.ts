import { MAX_KEY_CHARACTERS } from "../../payments/wire/keyRule.ts";
import { missingHeader, type Offer, offerOf } from "../../payments/wire/offer.ts";
import { paymentInfo, paymentRequiredV1 } from "../../payments/wire/renderings.ts";
import { httpResource, resultExample } from "../../service/about/discovery.ts";
import { jsonSchema } from "../../service/request/jsonSchema.ts";
import { PRODUCTS, type Product } from "../../service/sale/products.ts";
import { takesMpp } from "../../service/sale/sentPayments.ts";
import { SIGN_IN } from "../../service/sale/signIn.ts";
import { STEPS } from "../../service/sale/steps.ts";
import type { Config } from "../../settings/config.ts";
import { PROBLEMS, Problem, type ProblemCode, problemDetails } from "../../shared/problems.ts";
import { challengeHeader, mppReceiptHeader, refusedCredentialContent } from "./mpp.ts";
import { answer, encoded, header, json, problems, ref } from "./parts.ts";
import { paymentParameters, receiptHeaders } from "./x402.ts";

/** Problems that no paid call returns. */
const NEVER_RETURNED: ProblemCode[] = [
  "not_found",
  "method_not_allowed",
  "sign_in_required",
  "file_not_found",
  "invalid_token",
  "link_expired",
  "precondition_failed",
  "range_not_satisfiable",
  "upload_used",
  "upload_length_wrong",
  "quote_not_found",
  "quote_expired",
  "quote_sold",
];
/** Problems that a request field causes, by the field's name. Only products with this field return them. */
const PROBLEMS_OF_FIELDS: Record<string, ProblemCode[]> = {
  image: ["unsupported_image", "damaged_image", "image_too_large"],
  text: ["unsupported_character"],
};

const NOTES = {
  409: "The payment is being used for another request, its link was revoked, or the call lacks the Idempotency-Key or sign-in that proves the payer. Nothing more was charged.",
  429: "This address made too many calls without a valid payment within a minute. Or the payer exceeds a limit (`payer_…` in `/v1/limits`): payments in use at a time, calls with these payments, or uncharged work within an hour. Nothing was charged.",
  503: "Call again after Retry-After with an Idempotency-Key: a request is charged once per key. With `settlement_pending`, the payment may still settle.",
};

/** Returns the Idempotency-Key header, which identifies a call. */
function keyHeader({ defaultKey }: Config) {
  return {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: MAX_KEY_CHARACTERS, pattern: "^[ -~]*$" },
    description: `An unguessable name for this call, such as a UUID. A payer's calls with the same key and request are charged once and return the same result while its link works, whether they reuse the payment or sign a new one. The same key with another request is a 422.${defaultKey ? " Without this header, calls with the same content are charged once within ten minutes." : ""}`,
  };
}

/** The SIGN-IN-WITH-X header, which proves the payer's identity. */
export const signInHeader = {
  name: SIGN_IN,
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "A message signed with the paying key (x402 extension sign-in-with-x), as base64-encoded JSON, valid for five minutes. It proves the payer's identity. A settled payment does not prove it, because the payment is public.",
};

const NOTICE = header(
  "Facts to pass on to the recipient, separated by commas. `signatures-invalidated`: the PDF was signed, and any " +
    "change invalidates a signature. `attachments-not-marked`: the PDF is a portfolio, and only its own pages " +
    "are marked. `xfa-removed`: the PDF is an XFA form, and the result has its pages without the XFA data. " +
    "`source-repaired`: the PDF was damaged, and the result was made from what could be read. `pages-missing`: the " +
    "damaged PDF lists pages that cannot be found or read, so they are not in the result. " +
    "`pdfx-broken`: the result is no longer PDF/X, because the mark is transparent or colored. " +
    "`pdfa-transparency`: the result is no longer PDF/A, because the mark is transparent. " +
    "`pdfa-color`: the result is no longer PDF/A, because the image has colors that the file must not use. " +
    "`mark-covered`: an annotation, such as a form field, covers a part of the mark, or the page's background covers a mark " +
    "under it, on the pages that the parameter `pages` names. " +
    "`mark-invisible`: the mark cannot be seen on white paper. " +
    "`mark-outside`: the offset moves the mark off the pages that the parameter `pages` names. " +
    "`text-cut`: the text did not fit on some pages and ends there in an ellipsis; the parameter `pages` names them, " +
    'such as `text-cut;pages="1-3 7"`. ' +
    "`payment-not-settled`: an earlier payment with this Idempotency-Key, or for the same content, was charged; the new one expires unused.",
);

/** Returns the description of the operation that sells a product. */
export function saleOf(product: Product, origin: string, config: Config) {
  const { operation, summary, description, example, price } = product;
  const { label } = price(config);
  const offer = shownOffer(product, origin, config);
  const mpp = takesMpp(config);
  const name = nameOf(product);
  const codes = soldProblems([product]);
  return {
    operationId: operation.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase()),
    tags: ["Watermark"],
    summary,
    description: `${description} Costs ${label}, paid with x402${mpp ? " or MPP" : ""}: call without a payment, sign one of the offers in the 402, and call again with the payment. A failed call is not charged.`,
    "x-payment-info": paymentInfo(price(config), offer, mpp),
    parameters: [
      ...paymentParameters("Without a payment, the response is a 402."),
      keyHeader(config),
      signInHeader,
      ...queryParameters(product),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: ref("schemas", `${name}Request`), example },
        "multipart/form-data": { schema: ref("schemas", `${name}Form`), example },
        "application/x-www-form-urlencoded": { schema: ref("schemas", `${name}Request`), example },
        "application/pdf": { schema: { type: "string", format: "binary", description: "The PDF." } },
      },
    },
    responses: {
      ...paidResponses(config, {
        result: resultExample(product.operation, price(config)),
        terms: offer && paymentRequiredV1(offer, missingHeader("X-PAYMENT", offer)),
      }),
      ...problems(codes, {
        notes: NOTES,
        headers: { 415: { "Accept-Post": header("The supported content types.") } },
        examples: { invalid_request: withoutFields(product) },
      }),
    },
  };
}

/**
 * Returns the descriptions of a paid call's responses, except the problems.
 * @param examples a result, and the terms of an unpaid call
 */
export function paidResponses(config: Config, { result, terms }: { result?: object; terms?: object | undefined } = {}) {
  const mpp = takesMpp(config);
  return {
    200: answer("The result. The payment is settled.", {
      headers: { ...receiptHeaders, ...(mpp && mppReceiptHeader), "Overprint-Notice": NOTICE, ...TIMING },
      content: json(ref("schemas", "Result"), result),
    }),
    402: answer(
      "The payment is missing or was not accepted. `error` gives the reason and `accepts` the ways to pay. The body is in the format of x402 version 1, the header in the format of version 2. Nothing was charged.",
      {
        headers: {
          "PAYMENT-REQUIRED": header("The payment terms (x402 version 2).", encoded("PaymentRequiredV2")),
          ...(mpp && challengeHeader),
          ...receiptHeaders,
          Link: header("Link to this document (RFC 8631)."),
        },
        content: {
          ...json(ref("schemas", "PaymentRequiredV1"), terms),
          ...(mpp && refusedCredentialContent),
        },
      },
    ),
  };
}

/** Returns the codes of the problems that calls of these products may return. */
export function soldProblems(products: readonly Product[]): ProblemCode[] {
  const fields = new Set(products.flatMap(({ schemas }) => Object.keys(schemas.json.shape)));
  const foreign = Object.keys(PROBLEMS_OF_FIELDS).filter((field) => !fields.has(field));
  const never = [...NEVER_RETURNED, ...foreign.flatMap((field) => PROBLEMS_OF_FIELDS[field]!)];
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => !never.includes(code));
}

const TIMING = {
  "Server-Timing": header(`The steps of the call and their durations in milliseconds: ${STEPS.join(", ")}.`),
  "Timing-Allow-Origin": header("Allows pages of any origin to read Server-Timing."),
};

/** Returns descriptions of the query parameters of a call whose body is the PDF itself. */
function queryParameters({ schemas }: Product) {
  const { properties = {} } = jsonSchema(schemas.json, { io: "input" });
  const { file, ...others } = properties as Record<string, { description?: string; default?: unknown }>;
  return Object.entries(others).map(([name, { description, default: _, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    schema,
    description: `Only with an application/pdf body. ${description}`,
  }));
}

/**
 * Returns the payment terms that the OpenAPI document shows as an example. Returns undefined if this deployment cannot
 * sell.
 */
function shownOffer(product: Product, origin: string, config: Config): Offer | undefined {
  try {
    // leaves the output schema empty, because the OpenAPI document already describes input and output
    const resource = { ...httpResource(product, origin, config), outputSchema: {} };
    return offerOf(resource, { ...config, price: product.price(config) });
  } catch {
    return undefined;
  }
}

/** Returns an example problem: the one that a request without fields causes. */
function withoutFields(product: Product): object {
  try {
    product.accept({}, "json");
  } catch (error) {
    if (error instanceof Problem) return problemDetails(error, "4b2f7c1e-9d3a-4f60-8e55-0c6a1d2b3e4f");
  }
  return {};
}

/** Returns the schema components of all product requests. */
export function requestSchemas() {
  const [shared, ...others] = PRODUCTS.map(({ schemas }) => new Set(Object.keys(schemas.json.shape)));
  const isShared = (field: string) => shared!.has(field) && others.every((fields) => fields.has(field));
  const components: Record<string, object> = {};
  for (const product of PRODUCTS) {
    const name = nameOf(product);
    const componentFor = (field: string) => `${isShared(field) ? "" : name}${pascal(field)}`;
    for (const [format, suffix] of [
      ["json", "Request"],
      ["form", "Form"],
    ] as const) {
      const { properties = {}, ...schema } = jsonSchema(product.schemas[format], {
        io: "input",
        unrepresentable: "any",
      });
      components[name + suffix] = { ...schema, properties: withNamedDefaults(properties, componentFor, components) };
    }
  }
  return components;
}

/**
 * Moves the schema of each field with a default into a separate component. Type generators treat a field with an inline
 * default as required, so callers would have to send the field.
 */
function withNamedDefaults(
  properties: Record<string, unknown>,
  componentFor: (field: string) => string,
  components: Record<string, object>,
) {
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => {
      if (!Object.hasOwn(schema as object, "default")) return [field, schema];
      components[componentFor(field)] = schema as object;
      return [field, ref("schemas", componentFor(field))];
    }),
  );
}

/** Returns the name of a product's components, such as `ImageWatermark` for `watermark.image`. */
function nameOf({ operation }: Product): string {
  return operation.split(".").toReversed().map(pascal).join("");
}

function pascal(field: string): string {
  return field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
