import * as z from "zod";
import { type Config, RATE_LIMITS } from "../config.ts";
import { MAX_SIDE } from "../engine/index.ts";
import { FETCH_PORTS } from "../inputs/address.ts";
import { MAX_REDIRECTS } from "../inputs/fetch.ts";
import { priceLabel } from "./products.ts";
import { MAX_FILENAME_CHARACTERS, MAX_TEXT_CHARACTERS } from "./schemas.ts";

const count = z.int().min(0);

/** Schema of the answer to `GET /v1/limits`. */
export const limits = z.strictObject({
  price: z.string().describe("Of one call."),
  form_bytes: count.describe("Of a multipart body."),
  json_bytes: count.describe("Of a JSON body, an MCP message included."),
  file_bytes: count.describe("Of the PDF."),
  file_pages: count,
  large_files: count.describe(
    "Calls with a file of more than 8 MB that are worked on at once in one place; one more waits a while, and is a 503 then.",
  ),
  image_bytes: count,
  image_pixels: count.describe("Width times height."),
  image_side_pixels: count.describe("Width, and height."),
  text_characters: count,
  filename_characters: count,
  fetch_seconds: count.describe("For one URL to deliver, redirects and body included."),
  fetch_redirects: count,
  fetch_ports: z.array(count).describe("The ports a URL may name."),
  work_seconds: count.describe("That a call can take, before its payment is settled."),
  link_seconds: count.describe("How long a link works."),
  unpaid_calls_per_minute: count.describe(
    "Calls answered 402, of one address (an IPv6 /64). Paid calls are not limited.",
  ),
  wrong_tokens_per_minute: count.describe("Links with a wrong token, of one address (an IPv6 /64)."),
});

/** Returns every limit in force in a deployment with these settings. */
export function limitsOf(config: Config): z.output<typeof limits> {
  return {
    price: priceLabel(config),
    form_bytes: config.maxBodyBytes,
    json_bytes: config.maxJsonBytes,
    file_bytes: config.maxSourceBytes,
    file_pages: config.maxPages,
    large_files: config.maxLargeFiles,
    image_bytes: config.maxImageBytes,
    image_pixels: config.maxImagePixels,
    image_side_pixels: MAX_SIDE,
    text_characters: MAX_TEXT_CHARACTERS,
    filename_characters: MAX_FILENAME_CHARACTERS,
    fetch_seconds: config.fetchTimeoutMs / 1000,
    fetch_redirects: MAX_REDIRECTS,
    fetch_ports: [...FETCH_PORTS],
    work_seconds: config.workSeconds,
    link_seconds: config.linkTtlSeconds,
    unpaid_calls_per_minute: RATE_LIMITS.unpaidCalls,
    wrong_tokens_per_minute: RATE_LIMITS.wrongTokens,
  };
}
