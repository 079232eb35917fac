/** A purchase, from the order to the file: the paid call, with retries after a lost answer, and the download. */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";
import * as z from "zod";
import { type Result, result } from "../src/service/request/schemas.ts";
import { UPLOADS } from "../src/settings/limits.ts";
import { type ChannelPayer, openChannel } from "./channelPayer.ts";
import { ask, mayGive, refusalIn, request, textIn, UPLOADS_PATH, unfinished } from "./deployment.ts";
import { Failure, failureOf, misuse } from "./failure.ts";
import type { GivenFields } from "./fields.ts";
import { whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { announce, askPrice, confirm, type Offer, sign } from "./offers.ts";
import { beginWriting, type Target } from "./output.ts";
import type { PaymentChoice } from "./payment.ts";
import { showProgress } from "./progress.ts";
import { warn } from "./say.ts";
import { partsAnswer, uploadInParts } from "./uploadParts.ts";

/** The item being bought: a file, and the fields of its mark. */
export interface Order {
  /** The deployment. */
  url: URL;
  /** The PDF to mark. A string is a source that the deployment reads itself: a URL or an upload handle. */
  file: File | string;
  image?: File | undefined;
  fields: GivenFields;
  /** Idempotency key. The deployment charges repeated calls with this key only once. */
  idempotencyKey?: string | undefined;
}

/** The result of a purchase. */
export interface Purchase extends Result {
  notices: string[];
  /** The service's receipt of the payment; undefined if it is missing or malformed. */
  receipt: Receipt | undefined;
  idempotencyKey: string;
  /** The file as it was sent: its bytes, or the source or upload handle that the deployment has read. */
  file: File | string;
}

type Receipt = ReturnType<typeof decodePaymentResponseHeader>;

const BROKEN = "answer_broken";
/**
 * Codes of failures that leave the outcome of the call unknown: no answer, an incomplete answer, or an answer from an
 * intermediary.
 */
const LOST = new RegExp(`^(unreachable|${BROKEN}|http_5..)$`);
/** Codes of temporary problems, after which the same call is retried with the same payment. */
const TEMPORARY = new Set(["settlement_pending", "payment_in_progress", "too_busy", "too_many_requests"]);
/**
 * Time limit for automatic retries. After this time, the command fails, and the user decides whether to run it again.
 */
const RETRY_MS = 3 * 60_000;
const LONGEST_WAIT_SECONDS = 60;
const DOWNLOADS = 3;
/** Maximum number of times that a call is repeated because another program has spent from the same channel. */
const MAX_CORRECTIONS = 5;

/** The terms of a purchase: the offer that the payer accepts, and the account or channel that pays. */
export interface Deal {
  offer: Offer;
  account: PrivateKeyAccount;
  /** The channel that pays. Undefined for a payment of one call. */
  channel: ChannelPayer | undefined;
}

/**
 * Asks for the price of an order.
 * @param calls number of calls that a channel will pay for
 * @throws Failure if nothing can be bought
 */
export async function askDeal(
  order: Pick<Order, "url" | "file" | "image">,
  account: PrivateKeyAccount,
  choice: PaymentChoice,
  io: Io,
  calls = 1,
): Promise<Deal> {
  if (choice.channel && isLarge(order.file))
    throw misuse("--channel cannot pay for a file of more than 10 MB, which is uploaded before the call");
  const offer = await askPrice(endpointOf(order), 2, choice);
  return { offer, account, channel: choice.channel ? await openChannel(offer, account, io, calls) : undefined };
}

/**
 * Buys a mark: asks for the price, asks the payer to confirm it, signs the payment, and repeats the call until an
 * answer arrives.
 * @param canAsk whether a person can confirm the payment
 * @throws Failure `unfinished` if money may have moved. After any other failure, nothing was charged.
 */
export async function purchase(
  order: Order,
  account: PrivateKeyAccount,
  choice: PaymentChoice,
  canAsk: boolean,
  io: Io,
): Promise<Purchase> {
  const deal = await askDeal(order, account, choice, io);
  announce(deal.offer, account.address, choice, { deposit: deal.channel?.deposit }, io);
  await confirm(deal.offer, choice, canAsk, io);
  const idempotencyKey = order.idempotencyKey ?? randomUUID();
  const again = (handle: string | undefined) =>
    `run the same command with --idempotency-key ${idempotencyKey}${asFile(handle)} to get the file without paying twice`;
  return purchaseAt(deal, { ...order, idempotencyKey }, again, io);
}

/** Returns a phrase for advice on how to repeat a command: the upload to use as FILE. Empty if no file was uploaded. */
export function asFile(handle: string | undefined): string {
  return handle === undefined ? "" : `, and with ${handle} as FILE,`;
}

/**
 * Signs the payment for an order, and repeats the call until an answer arrives.
 * @param again returns the advice on how to repeat the command. The argument is the handle if the file was uploaded.
 * @throws Failure `unfinished` if money may have moved. After any other failure, nothing was charged.
 */
export async function purchaseAt(
  { offer, account, channel }: Deal,
  order: Order & { idempotencyKey: string },
  again: (handle: string | undefined) => string,
  io: Io,
): Promise<Purchase> {
  const payment: Payment = channel ?? { headers: await sign(offer, account) };
  await channel?.sign();
  const file = isLarge(order.file) ? await upload(order.url, order.file, payment.headers, io) : order.file;
  const advice = again(file === order.file ? undefined : String(file));
  const forget = whenStopped(() => warn(`overprint: stopped. You may have paid: ${advice}`, io));
  try {
    const { idempotencyKey } = order;
    const attempt = () => call(endpointOf(order), payment, idempotencyKey, () => formOf({ ...order, file }));
    const sold = await callUntilAnswered(attempt, advice, io);
    return { ...sold, idempotencyKey, file };
  } finally {
    forget();
  }
}

function endpointOf({ url, image }: Pick<Order, "url" | "image">): URL {
  return new URL(`/v1/watermark/${image ? "image" : "text"}`, url);
}

function isLarge(file: File | string): file is File {
  return typeof file !== "string" && file.size > UPLOADS.freeBytes;
}

function formOf({ file, image, fields }: Order): FormData {
  const form = new FormData();
  form.set("file", file);
  if (image) form.set("image", image);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

/** The answer to a paid call. */
type Sold = Omit<Purchase, "idempotencyKey" | "file">;

/** A signed payment for one call, or a channel that can sign further payments. */
type Payment = Pick<ChannelPayer, "headers"> & Partial<Pick<ChannelPayer, "received">>;

/**
 * Makes one paid call. Repeats the call if the deployment corrects the state of the channel. The state was wrong if
 * another program of the same payer has used the channel.
 * @throws Failure if the call fails or its answer is incomplete
 */
async function call(endpoint: URL, payment: Payment, key: string, form: () => FormData): Promise<Sold> {
  for (let corrections = 0; ; corrections++) {
    const headers = { ...payment.headers, "Idempotency-Key": key };
    const answer = await request(endpoint, { method: "POST", headers, body: form() });
    const isCorrected = await payment.received?.(answer);
    if (!isCorrected || corrections === MAX_CORRECTIONS) return soldIn(answer);
  }
}

async function soldIn(answer: Response): Promise<Sold> {
  if (!answer.ok) throw await refusalIn(answer);
  const sold = result.safeParse(await jsonIn(answer));
  if (!sold.success) throw new Failure(BROKEN, "the answer was cut off, or is not from an Overprint deployment");
  return {
    ...sold.data,
    notices: answer.headers.get("Overprint-Notice")?.split(", ") ?? [],
    receipt: receiptIn(answer),
  };
}

/** Parses an answer as JSON. Returns undefined if it is not JSON. */
async function jsonIn(answer: Response): Promise<unknown> {
  return textIn(answer)
    .then(JSON.parse)
    .catch(() => undefined);
}

/** Returns the receipt in an answer. Ignores a malformed receipt, because the file is already paid for. */
function receiptIn(answer: Response): Receipt | undefined {
  try {
    return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Makes a call until it succeeds. Repeats it with the same payment and idempotency key if no answer arrives, or if the
 * answer asks the caller to wait.
 * @param again advice on how to repeat the command by hand
 */
async function callUntilAnswered(attempt: () => Promise<Sold>, again: string, io: Io): Promise<Sold> {
  const deadline = Date.now() + RETRY_MS;
  let mayBePaid = false;
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const failure = failureOf(error);
      const { code, message } = failure;
      if (code === "http_402") throw new Failure("payment_refused", `the payment was rejected: ${message}`);
      const isLost = LOST.test(code);
      mayBePaid ||= isLost || code === "settlement_pending";
      const seconds = Math.min(failure.retryAfterSeconds || 2 ** attempts, LONGEST_WAIT_SECONDS);
      if (!(isLost || TEMPORARY.has(code)) || Date.now() + seconds * 1000 > deadline)
        throw mayBePaid ? unfinished(code, `${message}; you may have paid: ${again}`) : failure;
      warn(`${message}; retrying in ${seconds} s …`, io);
      await sleep(seconds * 1000);
    }
  }
}

/** The answer to a request for an upload URL. */
const uploadAnswer = z.object({
  handle: z.string(),
  upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
  parts: partsAnswer.optional(),
});

/**
 * Uploads a file that is too large for the call itself. The deployment verifies the payment, but does not settle it
 * yet.
 * @throws Failure if the upload fails or is rejected
 */
async function upload(url: URL, file: File, payment: Record<string, string>, io: Io): Promise<string> {
  const body = JSON.stringify({ name: file.name, size: file.size, type: "pdf" });
  const headers = { ...payment, "Content-Type": "application/json" };
  const asked = await ask(new URL(UPLOADS_PATH, url), { method: "POST", headers, body });
  if (!asked.ok) throw await refusalIn(asked);
  const offered = uploadAnswer.safeParse(await jsonIn(asked));
  const urls = offered.success ? urlsIn(offered.data) : [];
  if (!offered.success || !urls.every((one) => mayGive(one, url)))
    throw new Failure(BROKEN, "the answer to an upload was cut off, or is not from an Overprint deployment");
  const { handle, upload: target, parts } = offered.data;

  const progress = showProgress("Uploading", file.size, io);
  try {
    if (parts && file.size > UPLOADS.wholeBytes) {
      await uploadInParts(file, parts, progress);
      return handle;
    }
    const counted = file.stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          progress.add(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
    const init = { method: "PUT", headers: target.headers, body: counted, duplex: "half" };
    const sent = await request(target.url, init as RequestInit);
    if (!sent.ok) throw await refusalIn(sent);
  } finally {
    progress.end();
  }
  return handle;
}

/** Returns all URLs to which an answer asks to send the file. */
function urlsIn({ upload, parts }: z.output<typeof uploadAnswer>): string[] {
  return [upload.url, ...(parts ? [...parts.urls, parts.complete] : [])];
}

/**
 * Downloads a bought file.
 * @param by the deployment that returned the link
 * @throws Failure `unfinished` if the download fails, because the file is already paid for
 */
export async function download(
  { url, bytes, expires_at }: Result["output"],
  by: URL,
  target: Target,
  io: Io,
): Promise<void> {
  const rest = `the file is at ${url} until ${expires_at}`;
  if (!mayGive(url, by))
    throw unfinished("link_not_followed", `you have paid, but the link does not use https and was not opened: ${rest}`);
  // tries only once for a pipe, because bytes already written to a pipe cannot be replaced
  let attempts = target.isFile ? DOWNLOADS : 1;
  for (;;) {
    try {
      return await downloadOnce(url, bytes, target, io);
    } catch (error) {
      if (--attempts > 0) continue;
      const { message } = failureOf(error);
      throw unfinished("not_downloaded", `you have paid, but the download failed: ${message}; ${rest}`);
    }
  }
}

async function downloadOnce(url: string, bytes: number, target: Target, io: Io): Promise<void> {
  const answer = await request(url);
  if (!answer.ok) throw await refusalIn(answer);
  const writing = await beginWriting(target, io);
  const progress = showProgress("Downloading", bytes, io);
  try {
    let length = 0;
    for await (const chunk of answer.body!) {
      length += chunk.length;
      if (length > bytes) throw new Failure("too_long", `received more than the expected ${bytes} bytes`);
      await writing.write(chunk);
      progress.add(chunk.length);
    }
    if (length !== bytes) throw new Failure("cut_off", `received only ${length} of ${bytes} bytes`);
  } catch (error) {
    await writing.discard();
    throw error instanceof Failure ? error : new Failure("unreachable", (error as Error).message);
  } finally {
    progress.end();
  }
  await writing.complete();
}

/** Returns a file on disk as a File for a form. Its bytes are read while the form is sent. */
export async function fileToSend(path: string, type = "application/pdf"): Promise<File> {
  return new File([await openAsBlob(path)], basename(path), { type });
}
