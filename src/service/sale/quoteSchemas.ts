/**
 * Schemas of quotes, the stored requests behind payment links: the request for a payment link, the answer to it, and
 * the state of a quote.
 */
import * as z from "zod";
import { once } from "../../shared/once.ts";
import { PRODUCTS } from "./products.ts";

/**
 * Path where `POST` creates a quote. A `GET` of this path, a slash and the quote's secret claim returns the state and
 * the result of the quote.
 */
export const QUOTES_PATH = "/v1/quotes";
/** Path prefix of the payment pages of quotes. The id of a quote follows. */
export const PAY_PATH = "/pay";

/** Fields that may contain a file. */
export const FILE_FIELDS = ["file", "image"] as const;
export type FileField = (typeof FILE_FIELDS)[number];

/** Body of `POST /v1/quotes`, and the arguments of the tool `request_payment_link`. JSON in a string is also accepted. */
export const quoteRequest = once(() =>
  z.strictObject({
    tool: z.enum(PRODUCTS.map(({ tool }) => tool) as [string, ...string[]]).describe("The paid tool to call."),
    arguments: z
      .preprocess(parsed, z.record(z.string(), z.unknown(), "must be an object with the tool's arguments"))
      .meta({ type: "object" })
      .describe("Its arguments. Files as URLs or upload handles."),
  }),
);

/** An example of a request for a payment link. */
export const QUOTE_EXAMPLE = {
  tool: "add_text_watermark",
  arguments: { file: "https://example.com/contract.pdf", text: "CONFIDENTIAL" },
};

/** Schema of the answer to {@link quoteRequest}. */
export const quoteOffer = once(() =>
  z.strictObject({
    url: z.string().describe("The page for the person who pays. It shows the price, the file's host and the settings."),
    claim: z.string().describe("The secret that gets the result. Keep it, and do not show it to the payer."),
    cost: z.string().describe("The price now. The page shows the price at the time of payment."),
    expires_at: z.iso.datetime().describe("When the page stops taking a payment."),
  }),
);

/** Schema of a quote's state, for the caller that holds the quote's claim. */
export const quoteResult = once(() =>
  z.strictObject({
    status: z.enum(["open", "paying", "sold", "withdrawn"]),
    result: z
      .looseObject({ output: z.looseObject({ url: z.string(), expires_at: z.string() }) })
      .optional()
      .describe("The result of the call, once it is sold."),
  }),
);

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
