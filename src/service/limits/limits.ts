import * as z from "zod";
import { MAX_SIDE, SCRIPTS, WORK_LIMITS } from "../../engine/index.ts";
import { FETCH_PORTS } from "../../inputs/address.ts";
import { MAX_REDIRECTS } from "../../inputs/fetch.ts";
import { LONG_TEXT_BYTES, MAX_TEXT_BYTES } from "../../inputs/inlineFile.ts";
import {
  type Config,
  RATE_LIMITS,
  REFUSED_PAYMENTS,
  UNPAID_MESSAGE_BYTES,
  UPLOADS,
  VAIN_PAYMENTS,
} from "../../settings/config.ts";
import { once } from "../../shared/once.ts";
import { MAX_FILENAME_CHARACTERS, MAX_TEXT_CHARACTERS } from "../request/schemas.ts";
import { priceLabel } from "../sale/products.ts";

/** Schema of the answer to `GET /v1/limits`. */
export const limits = once(() => {
  const count = z.int().min(0);
  return z.strictObject({
    price: z.string().describe("Of one call."),
    form_bytes: count.describe("Of a multipart body, and of a PDF that is the body by itself."),
    json_bytes: count.describe("Of a JSON body, an MCP message included."),
    body_text_bytes: count.describe("Of a body, form or JSON, beside its files."),
    field_bytes: count.describe("Of one text in it. Most fields may have less."),
    mcp_unpaid_bytes: count.describe(
      "Of an MCP message whose payment is neither in a header nor, with the tool's name, within so many bytes of its beginning.",
    ),
    body_seconds: count.describe("That a body may take."),
    body_bytes_per_second: count.describe(
      "That a body has to keep up with, but for ten seconds, and a file at a URL too; a slower body is a 408, a slower file a 504.",
    ),
    file_bytes: count.describe("Of the PDF."),
    encoded_file_bytes: count.describe("Of a PDF whose server answers with a Content-Encoding, once it is decoded."),
    file_pages: count,
    scanned_times: count.describe(
      "What may be read of a PDF: so many times its own length and `scanned_bytes`. Past this and the next ones, it is `too_complex`.",
    ),
    scanned_bytes: count,
    decompressed_bytes: count.describe("Of all the compressed objects of a PDF together."),
    decompressed_bytes_at_once: count.describe("Of one stream of compressed objects, all of its filters together."),
    held_bytes: count.describe(
      "Of the objects of a PDF that are written anew, its pages among them, and of the mark's lines.",
    ),
    placement_bytes: count.describe(
      "Of the operators that place a mark on the pages, each that differs from the others'.",
    ),
    added_bytes: count.describe(
      "By which a result may be larger than the mark and twice the PDF, beside `added_bytes_per_page`.",
    ),
    added_bytes_per_page: count,
    large_files: count.describe(
      "Calls with a file of more than 8 MB that are worked on at once in one place; one more waits a while, and is a 503 then.",
    ),
    image_bytes: count,
    image_pixels: count.describe("Width times height."),
    image_side_pixels: count.describe("Width, and height."),
    text_characters: count,
    scripts: z.array(z.string()).describe("That a text can be in, beside symbols and emoji (ISO 15924)."),
    filename_characters: count,
    fetch_seconds: count.describe("For one URL to deliver, redirects and body included."),
    fetch_redirects: count,
    fetch_ports: z.array(count).describe("The ports a URL may name."),
    work_seconds: count.describe("That a call can take, before its payment is settled."),
    link_seconds: count.describe("How long a link works."),
    unpaid_calls_per_minute: count.describe("Calls answered 402, of one address (an IPv6 /64)."),
    refused_payments: count.describe(
      "Of one address, after which its payments are a 429 for some seconds, until one of them is forgotten. A paid call clears them.",
    ),
    refused_payments_forgotten_per_minute: count,
    vain_payments: count.describe(
      "Of one payer, verified for calls that failed, after which its payments are a 429 for some seconds. A paid call clears them.",
    ),
    vain_payments_forgotten_per_minute: count,
    payer_calls: count.describe("Payments of one payer that are worked on at once; one more is a 429."),
    payer_requests: count.describe(
      "Calls of one payer at once, those included that wait for one with the same payment.",
    ),
    payer_uncharged_seconds_per_hour: count.describe(
      "Of work for one payer that is not charged in the end, as its calls fail. Past this and the next one, a 429.",
    ),
    payer_uncharged_bytes_per_hour: count.describe("Of bodies and files taken in for such calls."),
    upload_seconds: count.describe("How long an upload can be used."),
    upload_free_bytes: count.describe("Of a file that is uploaded without a payment. With one, `file_bytes`."),
    uploads: count.describe("Without a payment, of one address (an IPv6 /64) at the same time; one more is a 429."),
    uploads_bytes: count.describe("Of them together, which is in `upload_seconds`."),
    payer_uploads: count.describe("Of one payer at the same time, with a payment that is verified, and not settled."),
    payer_uploads_bytes: count,
    upload_sizes_in_vain: count.describe(
      "What an upload takes in of files that break off, in times its size; then a 429.",
    ),
    wrong_tokens_per_minute: count.describe(
      "Links with a wrong token, and uploads that there are not, of one address (an IPv6 /64).",
    ),
  });
});

/** Returns every limit in force in a deployment with these settings. */
export function limitsOf(config: Config): z.output<ReturnType<typeof limits>> {
  return {
    price: priceLabel(config),
    form_bytes: config.maxBodyBytes,
    json_bytes: config.maxJsonBytes,
    body_text_bytes: MAX_TEXT_BYTES,
    field_bytes: LONG_TEXT_BYTES,
    mcp_unpaid_bytes: UNPAID_MESSAGE_BYTES,
    body_seconds: config.bodyPace.deadlineMs / 1000,
    body_bytes_per_second: config.bodyPace.bytesPerSecond,
    file_bytes: config.maxSourceBytes,
    encoded_file_bytes: Math.min(config.maxSourceBytes, config.spoolThresholdBytes),
    file_pages: config.maxPages,
    scanned_times: WORK_LIMITS.scannedTimes,
    scanned_bytes: WORK_LIMITS.scanned,
    decompressed_bytes: WORK_LIMITS.decoded,
    decompressed_bytes_at_once: WORK_LIMITS.decodedAtOnce,
    held_bytes: WORK_LIMITS.retained,
    placement_bytes: WORK_LIMITS.placed,
    added_bytes: WORK_LIMITS.output,
    added_bytes_per_page: WORK_LIMITS.outputPerPage,
    large_files: config.maxLargeFiles,
    image_bytes: config.maxImageBytes,
    image_pixels: config.maxImagePixels,
    image_side_pixels: MAX_SIDE,
    text_characters: MAX_TEXT_CHARACTERS,
    scripts: [...SCRIPTS],
    filename_characters: MAX_FILENAME_CHARACTERS,
    fetch_seconds: config.fetchTimeoutMs / 1000,
    fetch_redirects: MAX_REDIRECTS,
    fetch_ports: [...FETCH_PORTS],
    work_seconds: config.workSeconds,
    link_seconds: config.linkTtlSeconds,
    unpaid_calls_per_minute: RATE_LIMITS.unpaidCalls,
    refused_payments: REFUSED_PAYMENTS.most,
    refused_payments_forgotten_per_minute: 60_000 / REFUSED_PAYMENTS.forgottenMs,
    vain_payments: VAIN_PAYMENTS.most,
    vain_payments_forgotten_per_minute: 60_000 / VAIN_PAYMENTS.forgottenMs,
    payer_calls: config.maxCallsPerPayer,
    payer_requests: config.maxRequestsPerPayer,
    payer_uncharged_seconds_per_hour: config.unchargedMsPerHour / 1000,
    payer_uncharged_bytes_per_hour: config.unchargedBytesPerHour,
    upload_seconds: UPLOADS.seconds,
    upload_free_bytes: UPLOADS.freeBytes,
    uploads: UPLOADS.free.slots,
    uploads_bytes: UPLOADS.free.bytes,
    payer_uploads: UPLOADS.payerSlots,
    payer_uploads_bytes: config.unchargedBytesPerHour,
    upload_sizes_in_vain: UPLOADS.maxFailedSizes,
    wrong_tokens_per_minute: RATE_LIMITS.wrongTokens,
  };
}
