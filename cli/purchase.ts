/** A purchase, from the order to the file: a call, asked again where its answer is lost, and a download. */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";
import * as z from "zod";
import { type Result, result } from "../src/service/request/schemas.ts";
import { UPLOADS } from "../src/settings/config.ts";
import { ask, mayGive, refusalIn, request, textIn, UPLOADS_PATH, unfinished } from "./deployment.ts";
import { Failure, failureOf } from "./failure.ts";
import type { GivenFields } from "./fields.ts";
import { whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { agree, askPrice, sign } from "./offers.ts";
import { beginWriting, type Target } from "./output.ts";
import type { PaymentChoice } from "./payment.ts";
import { showProgress } from "./progress.ts";
import { warn } from "./say.ts";

/** What is bought: a file, and how it is to be marked. */
export interface Order {
  /** The deployment. */
  url: URL;
  /** The PDF; as text what the service reads by itself: a URL, or the handle of an upload. */
  file: File | string;
  image?: File | undefined;
  fields: GivenFields;
  /** The same call with it again is charged once. */
  idempotencyKey?: string | undefined;
}

/** What has become of it. */
export interface Purchase extends Result {
  notices: string[];
  /** How it was paid, as the service has it from the chain. */
  receipt: Receipt | undefined;
  idempotencyKey: string;
}

type Receipt = ReturnType<typeof decodePaymentResponseHeader>;

const BROKEN = "answer_broken";
/** Failures of which nobody knows what became of the call: no answer, half of one, or one of a host in between. */
const LOST = new RegExp(`^(unreachable|${BROKEN}|http_5..)$`);
/** Problems that pass by themselves, with the same payment. */
const PASSING = new Set(["settlement_pending", "payment_in_progress", "too_busy", "too_many_requests"]);
/** How long a call is asked again, before that is left to whoever has called. */
const PATIENCE_MS = 3 * 60_000;
const LONGEST_WAIT_SECONDS = 60;
const DOWNLOADS = 3;

/**
 * Buys a mark: asks for the price, has it agreed to, signs, and calls until there is an answer.
 * @param canAsk whether somebody is there to agree
 * @throws Failure `unfinished` where money may have moved, else nothing was charged
 */
export async function purchase(
  order: Order,
  account: PrivateKeyAccount,
  choice: PaymentChoice,
  canAsk: boolean,
  io: Io,
): Promise<Purchase> {
  const endpoint = new URL(`/v1/watermark/${order.image ? "image" : "text"}`, order.url);
  const offer = await askPrice(endpoint, 2, choice);
  await agree(offer, account.address, choice, canAsk, io);
  const payment = await sign(offer, account);
  const file = isLarge(order.file) ? await upload(order.url, order.file, payment, io) : order.file;

  const idempotencyKey = order.idempotencyKey ?? randomUUID();
  const handle = file === order.file ? "" : `, and ${file} as FILE,`;
  const again = `the same command with --idempotency-key ${idempotencyKey}${handle} asks again, and is charged once`;
  const forget = whenStopped(() => warn(`overprint: stopped. It may be paid for: ${again}`, io));
  const headers = { ...payment, "Idempotency-Key": idempotencyKey };
  try {
    const sold = await callUntilAnswered(() => call(endpoint, headers, formOf({ ...order, file })), again, io);
    return { ...sold, idempotencyKey };
  } finally {
    forget();
  }
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

/** What a paid call has answered. */
type Sold = Omit<Purchase, "idempotencyKey">;

/** @throws Failure */
async function call(endpoint: URL, headers: Record<string, string>, body: FormData): Promise<Sold> {
  const answer = await request(endpoint, { method: "POST", headers, body });
  if (!answer.ok) throw await refusalIn(answer);
  const sold = result.safeParse(await jsonIn(answer));
  if (!sold.success) throw new Failure(BROKEN, "the answer was cut off, or is none of Overprint's");
  return {
    ...sold.data,
    notices: answer.headers.get("Overprint-Notice")?.split(", ") ?? [],
    receipt: receiptIn(answer),
  };
}

/** Returns what an answer has in JSON; undefined if it has none. */
async function jsonIn(answer: Response): Promise<unknown> {
  return textIn(answer)
    .then(JSON.parse)
    .catch(() => undefined);
}

/** Returns the receipt in an answer; one that cannot be read takes nobody's file away. */
function receiptIn(answer: Response): Receipt | undefined {
  try {
    return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Makes a call, and the same with the same payment and key while its answer is lost, or says to wait.
 * @param again says how to go on by hand
 */
async function callUntilAnswered(attempt: () => Promise<Sold>, again: string, io: Io): Promise<Sold> {
  const deadline = Date.now() + PATIENCE_MS;
  let mayBePaid = false;
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const failure = failureOf(error);
      const { code, message } = failure;
      if (code === "http_402") throw new Failure("payment_refused", `the payment was refused: ${message}`);
      const isLost = LOST.test(code);
      mayBePaid ||= isLost || code === "settlement_pending";
      const seconds = Math.min(failure.retryAfterSeconds || 2 ** attempts, LONGEST_WAIT_SECONDS);
      if (!(isLost || PASSING.has(code)) || Date.now() + seconds * 1000 > deadline)
        throw mayBePaid ? unfinished(code, `${message}; it may be paid for: ${again}`) : failure;
      warn(`${message}; asking again in ${seconds} s …`, io);
      await sleep(seconds * 1000);
    }
  }
}

/** What a slot says of itself. */
const slotOf = z.object({
  handle: z.string(),
  upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
});

/**
 * Uploads a file that is too large for the call itself. The payment is verified, and not settled.
 * @throws Failure if it was not taken
 */
async function upload(url: URL, file: File, payment: Record<string, string>, io: Io): Promise<string> {
  const body = JSON.stringify({ name: file.name, size: file.size, type: "pdf" });
  const headers = { ...payment, "Content-Type": "application/json" };
  const asked = await ask(new URL(UPLOADS_PATH, url), { method: "POST", headers, body });
  if (!asked.ok) throw await refusalIn(asked);
  const offered = slotOf.safeParse(await jsonIn(asked));
  if (!offered.success || !mayGive(offered.data.upload.url, url))
    throw new Failure(BROKEN, "the answer to an upload was cut off, or is none of Overprint's");
  const { handle, upload: slot } = offered.data;

  const progress = showProgress("Uploading", file.size, io);
  try {
    const counted = file.stream().pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          progress.add(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
    const init = { method: "PUT", headers: slot.headers, body: counted, duplex: "half" };
    const sent = await request(slot.url, init as RequestInit);
    if (!sent.ok) throw await refusalIn(sent);
  } finally {
    progress.end();
  }
  return handle;
}

/**
 * Downloads what was bought.
 * @param by the deployment that gave the link
 * @throws Failure `unfinished`: it is paid for
 */
export async function download(
  { url, bytes, expires_at }: Result["output"],
  by: URL,
  target: Target,
  io: Io,
): Promise<void> {
  const rest = `until ${expires_at} the file is at ${url}`;
  if (!mayGive(url, by))
    throw unfinished("link_not_followed", `it is paid for, and its link leads elsewhere than by https: ${rest}`);
  let attempts = target.isFile ? DOWNLOADS : 1; // nothing can be taken back elsewhere
  for (;;) {
    try {
      return await downloadOnce(url, bytes, target, io);
    } catch (error) {
      if (--attempts > 0) continue;
      const { message } = failureOf(error);
      throw unfinished("not_downloaded", `it is paid for, and could not be downloaded: ${message}; ${rest}`);
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
      if (length > bytes) throw new Failure("too_long", `more than its ${bytes} bytes have come`);
      await writing.write(chunk);
      progress.add(chunk.length);
    }
    if (length !== bytes) throw new Failure("cut_off", `${length} of its ${bytes} bytes have come`);
  } catch (error) {
    await writing.discard();
    throw error instanceof Failure ? error : new Failure("unreachable", (error as Error).message);
  } finally {
    progress.end();
  }
  await writing.complete();
}

/** Returns a file on disk as one to send: it is read as it goes. */
export async function fileToSend(path: string, type = "application/pdf"): Promise<File> {
  return new File([await openAsBlob(path)], basename(path), { type });
}
