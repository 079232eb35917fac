import * as z from "zod";
import { MAX_SIDE, SCRIPTS, WORK_LIMITS } from "../../engine/index.ts";
import { FETCH_PORTS } from "../../inputs/address.ts";
import { MAX_REDIRECTS } from "../../inputs/fetch.ts";
import { LONG_TEXT_BYTES, MAX_TEXT_BYTES } from "../../inputs/inlineFile.ts";
import type { Config } from "../../settings/config.ts";
import {
  PAYMENT_LINKS,
  RATE_LIMITS,
  REFUSED_PAYMENTS,
  UNPAID_MESSAGE_BYTES,
  UNUSED_PAYMENTS,
  UPLOADS,
} from "../../settings/limits.ts";
import { once } from "../../shared/once.ts";
import { MAX_FILENAME_CHARACTERS, MAX_TEXT_CHARACTERS } from "../request/schemas.ts";
import { priceLabel } from "../sale/products.ts";

/** Schema of the answer to `GET /v1/limits`. */
export const limits = once(() => {
  const count = z.int().min(0);
  return z.strictObject({
    price: z.string().describe("Price of one call."),
    form_bytes: count.describe("Maximum size of a multipart body, and of a PDF sent as the body."),
    json_bytes: count.describe("Maximum size of a JSON body, including MCP messages."),
    body_text_bytes: count.describe("Maximum size of a form or JSON body without its files."),
    field_bytes: count.describe("Maximum size of one text field in a body. Most fields have a lower limit."),
    mcp_unpaid_bytes: count.describe(
      "Maximum size of an MCP message that is read without a payment. A longer message must contain the tool's name within its first `mcp_unpaid_bytes` bytes. It must also contain the payment there, unless a header contains the payment.",
    ),
    body_seconds: count.describe("Maximum time for a body to arrive."),
    body_bytes_per_second: count.describe(
      "Minimum average transfer rate of a body, and of a file at a URL. A body that falls more than ten seconds behind this rate is rejected with 408. For a file, the status is 504.",
    ),
    file_bytes: count.describe("Maximum size of a PDF."),
    encoded_file_bytes: count.describe("Maximum decoded size of a PDF whose server answers with a Content-Encoding."),
    file_pages: count,
    scanned_times: count.describe(
      "Maximum number of bytes scanned in a PDF: this factor times its length, plus `scanned_bytes`. A PDF that exceeds this limit or one of the next limits is rejected as `too_complex`.",
    ),
    scanned_bytes: count,
    decompressed_bytes: count.describe("Maximum decoded size of all compressed objects of a PDF."),
    decompressed_bytes_at_once: count.describe(
      "Maximum decoded size of one stream of compressed objects, summed over its filters.",
    ),
    held_bytes: count.describe(
      "Maximum memory for the rewritten objects and pages of a PDF, and for the lines of the mark.",
    ),
    placement_bytes: count.describe(
      "Maximum size of the operators that place a mark on the pages. Identical sequences of operators count once.",
    ),
    added_bytes: count.describe(
      "Maximum size of a result: this number, plus `added_bytes_per_page` per page, plus the mark's size, plus twice the PDF's size.",
    ),
    added_bytes_per_page: count,
    large_files: count.describe(
      "Maximum number of concurrent calls with a file of more than 8 MB in one isolate. Another such call waits for a while and is then rejected with 503.",
    ),
    image_bytes: count,
    image_pixels: count.describe("Maximum number of pixels of an image: width times height."),
    image_side_pixels: count.describe("Maximum width and maximum height of an image, in pixels."),
    text_characters: count,
    scripts: z
      .array(z.string())
      .describe("Supported scripts of texts (ISO 15924). Symbols and emoji are supported too."),
    filename_characters: count,
    fetch_seconds: count.describe("Maximum time for one URL to deliver its file, including redirects and body."),
    fetch_redirects: count,
    fetch_ports: z.array(count).describe("Ports that the URL of a file may use."),
    work_seconds: count.describe("Maximum duration of a call before its payment is settled."),
    link_seconds: count.describe("Lifetime of a link."),
    unpaid_calls_per_minute: count.describe("Maximum number of 402 answers to one address (for IPv6, one /64)."),
    refused_payments: count.describe(
      "Maximum number of refused payments from one address. At this number, payments from the address are rejected with 429 for a few seconds. A paid call resets the count.",
    ),
    refused_payments_forgotten_per_minute: count,
    vain_payments: count.describe(
      "Maximum number of payments of one payer that were verified for failed calls. At this number, the payer's payments are rejected with 429 for a few seconds. A paid call resets the count.",
    ),
    vain_payments_forgotten_per_minute: count,
    payer_calls: count.describe(
      "Maximum number of payments that one payer can use at a time. A call with another payment is rejected with 429.",
    ),
    payer_requests: count.describe(
      "Maximum number of concurrent calls of one payer, including calls that wait for another call with the same payment.",
    ),
    payer_uncharged_seconds_per_hour: count.describe(
      "Maximum time spent on a payer's failed calls, which are not charged. Beyond this or the next limit, the payer's calls are rejected with 429.",
    ),
    payer_uncharged_bytes_per_hour: count.describe(
      "Maximum total size of the bodies and files received for a payer's failed calls.",
    ),
    upload_seconds: count.describe("Lifetime of an upload."),
    upload_free_bytes: count.describe(
      "Maximum size of a file that is uploaded without a payment. With a payment, `file_bytes` applies.",
    ),
    upload_part_bytes: count.describe(
      "Length of each part of an upload, except the last part. A longer file can be sent in parts.",
    ),
    uploads: count.describe(
      "Maximum number of concurrent uploads without a payment from one address (for IPv6, one /64). Another upload is rejected with 429.",
    ),
    uploads_bytes: count.describe("Maximum total size of the concurrent uploads without a payment from one address."),
    payer_uploads: count.describe(
      "Maximum number of concurrent uploads of one payer. Each upload needs a payment, which is verified but not settled.",
    ),
    payer_uploads_bytes: count,
    upload_sizes_in_vain: count.describe(
      "Maximum received size of aborted transfers to one upload, as a multiple of the upload's size. Further transfers are rejected with 429.",
    ),
    payment_link_seconds: count.describe("Lifetime of a payment link."),
    payment_link_bytes: count.describe("Maximum size of the request for a payment link."),
    payment_links: count.describe(
      "Maximum number of concurrent payment links from one address (for IPv6, one /64). Another one is rejected with 429.",
    ),
    payment_links_bytes: count.describe("Maximum total size of the arguments of these payment links."),
    wrong_tokens_per_minute: count.describe(
      "Maximum number of requests with a wrong token or an invalid sign-in, or to unknown uploads or payment links, from one address (for IPv6, one /64).",
    ),
  });
});

/** Returns every limit of a deployment with these settings. */
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
    refused_payments: REFUSED_PAYMENTS.capacity,
    refused_payments_forgotten_per_minute: 60_000 / REFUSED_PAYMENTS.leakMs,
    vain_payments: UNUSED_PAYMENTS.capacity,
    vain_payments_forgotten_per_minute: 60_000 / UNUSED_PAYMENTS.leakMs,
    payer_calls: config.maxCallsPerPayer,
    payer_requests: config.maxRequestsPerPayer,
    payer_uncharged_seconds_per_hour: config.unchargedMsPerHour / 1000,
    payer_uncharged_bytes_per_hour: config.unchargedBytesPerHour,
    upload_seconds: UPLOADS.seconds,
    upload_free_bytes: UPLOADS.freeBytes,
    upload_part_bytes: UPLOADS.partBytes,
    uploads: UPLOADS.free.slots,
    uploads_bytes: UPLOADS.free.bytes,
    payer_uploads: UPLOADS.payerSlots,
    payer_uploads_bytes: config.unchargedBytesPerHour,
    upload_sizes_in_vain: UPLOADS.maxFailedSizes,
    payment_link_seconds: PAYMENT_LINKS.seconds,
    payment_link_bytes: PAYMENT_LINKS.requestBytes,
    payment_links: PAYMENT_LINKS.free.slots,
    payment_links_bytes: PAYMENT_LINKS.free.bytes,
    wrong_tokens_per_minute: RATE_LIMITS.wrongTokens,
  };
}
