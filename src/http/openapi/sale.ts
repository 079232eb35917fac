import { offerOf, paymentRequiredV1 } from "../../payments/wire/offer.ts";
import { resultExample } from "../../service/about/discovery.ts";
import { MAX_KEY_CHARACTERS } from "../../service/request/idempotencyKey.ts";
import { jsonSchema } from "../../service/request/jsonSchema.ts";
import { PRODUCTS, type Product } from "../../service/sale/products.ts";
import { SIGN_IN } from "../../service/sale/signIn.ts";
import { STEPS } from "../../service/sale/steps.ts";
import type { Config } from "../../settings/config.ts";
import { PROBLEMS, Problem, type ProblemCode, problemDetails } from "../../shared/problems.ts";
import { answer, encoded, header, json, problems, ref } from "./parts.ts";
import { paymentParameters, receiptHeaders } from "./x402.ts";

/** What no call of a product is answered with. */
const ELSEWHERE: ProblemCode[] = [
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
];
const OF_IMAGES: ProblemCode[] = ["unsupported_image", "damaged_image", "image_too_large"];
const OF_TEXTS: ProblemCode[] = ["unsupported_character"];

const NOTES = {
  409: "It was used for another request, for a link that has ended, or without the Idempotency-Key that shows whose it is. Nothing more was charged.",
  429: "Too many calls without a valid payment from this address in a minute; or the payer has as many payments in use as it may, or as many calls with them, or has had as much work done in an hour that was not charged (`payer_…` in `/v1/limits`). Nothing was charged.",
  503: "Try again after Retry-After, with an Idempotency-Key: under the same one a request is charged once. With `settlement_pending` the payment may still move.",
};

/** A parameter that names a call. */
const keyHeader = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: MAX_KEY_CHARACTERS, pattern: "^[ -~]*$" },
  description:
    "A name for this call that nobody can guess, such as a UUID. Calls of a payer with the same key and request are charged once, whether they send the same payment or sign anew, and have the same result as long as its link works. With another request it is a 422. A `payment-identifier` counts as one where this header is not sent.",
};

/** A parameter that shows who the payer is. */
export const signInHeader = {
  name: SIGN_IN,
  in: "header",
  required: false,
  schema: { type: "string" },
  description:
    "A message signed with the key that pays (x402 extension sign-in-with-x): base64 of JSON, good for five minutes. It shows who the payer is, where a payment that was settled, and so is public, does not.",
};

const NOTICE = header(
  "What the recipient has to be told, separated by commas: `signatures-invalidated` where the PDF was signed " +
    "(no change leaves a signature valid), `attachments-not-marked` where it is a portfolio (only its own " +
    "pages are marked, not the files attached to it). Where it was PDF/A and is no more: `pdfa-transparency` " +
    "for a transparent mark (PDF/A-1 allows none), `pdfa-color` for an image in colours that the file may not have. " +
    "`payment-not-settled`: an earlier payment under the same Idempotency-Key has paid; the one sent lapses.",
);

/** Describes the operation that sells a product. */
export function saleOf(product: Product, origin: string, config: Config) {
  const { summary, description, example, price, path } = product;
  const { label } = price(config);
  const [amount] = label.split(" ");
  const name = nameOf(product);
  const isOfImages = name === "ImageWatermark";
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
    (code) => !ELSEWHERE.includes(code) && !(isOfImages ? OF_TEXTS : OF_IMAGES).includes(code),
  );
  return {
    operationId: isOfImages ? "watermarkImage" : "watermarkText",
    tags: ["Watermark"],
    summary,
    description: `${description} Costs ${label}, paid with x402: call without payment, sign one of the offers of the 402, call again with it. A call that fails is not charged.`,
    security: [{ x402: [] }, { x402v1: [] }],
    "x-payment-info": { price: { mode: "fixed", currency: "USD", amount }, protocols: [{ x402: {} }] },
    parameters: [
      ...paymentParameters("Without any the answer is 402."),
      keyHeader,
      signInHeader,
      ...queryParameters(product),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: ref("schemas", `${name}Request`), example },
        "multipart/form-data": { schema: ref("schemas", `${name}Form`), example },
        "application/pdf": { schema: { type: "string", format: "binary", description: "The PDF itself." } },
      },
    },
    responses: {
      200: answer("Done and paid.", {
        headers: { ...receiptHeaders, "Overprint-Notice": NOTICE, ...TIMING },
        content: json(ref("schemas", "Result"), resultExample(product.operation, price(config))),
      }),
      402: answer(
        "Not paid, or not payable as sent: `error` says why, `accepts` how to pay; the body is version 1 of x402, the header version 2. Nothing was charged.",
        {
          headers: {
            "PAYMENT-REQUIRED": header("The terms of version 2.", encoded("PaymentRequiredV2")),
            ...receiptHeaders,
            Link: header("Where this document is (RFC 8631)."),
          },
          content: json(ref("schemas", "PaymentRequiredV1"), unpaid(product, origin + path, config)),
        },
      ),
      ...problems(codes, {
        notes: NOTES,
        headers: { 415: { "Accept-Post": header("The content types that are taken.") } },
        examples: { invalid_request: withoutFields(product) },
      }),
    },
  };
}

const TIMING = {
  "Server-Timing": header(`The steps of the call, and the milliseconds that each took: ${STEPS.join(", ")}.`),
  "Timing-Allow-Origin": header("Pages of any origin may read that."),
};

/** The fields of a call whose body is the PDF itself. */
function queryParameters({ schemas }: Product) {
  const { properties = {} } = jsonSchema(schemas.json, { io: "input" });
  const { file, ...others } = properties as Record<string, { description?: string; default?: unknown }>;
  return Object.entries(others).map(([name, { description, default: _, ...schema }]) => ({
    name,
    in: "query",
    required: false,
    schema,
    description: `With a body of application/pdf. ${description}`,
  }));
}

/** Returns the 402 of a call without payment; undefined if nothing can be sold. */
function unpaid({ summary, price }: Product, url: string, config: Config) {
  try {
    const offer = offerOf(
      { url, description: summary, outputSchema: {}, bazaar: {} },
      { ...config, price: price(config) },
    );
    return paymentRequiredV1(offer, "X-PAYMENT header is required");
  } catch {
    return undefined;
  }
}

/** Returns the problem of a request that has no fields. */
function withoutFields(product: Product): object {
  try {
    product.accept({}, "json");
  } catch (error) {
    if (error instanceof Problem) return problemDetails(error, "4b2f7c1e-9d3a-4f60-8e55-0c6a1d2b3e4f");
  }
  return {};
}

/** The components that describe what products take. */
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
 * Makes a component of each field that has a default. Generators of types take a default that is written in place for a
 * value that is always there, and would have callers send it.
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

function nameOf({ operation }: Product) {
  return operation === "watermark.image" ? "ImageWatermark" : "TextWatermark";
}

function pascal(field: string): string {
  return field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
