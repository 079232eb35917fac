/** Receives the body of a request that sends an upload's file, or a part of it. */
import { detectFormat } from "../../engine/index.ts";
import { readBody } from "../../inputs/body.ts";
import { MemoryShare, noRoom, SENDERS_POOL } from "../../inputs/memory.ts";
import { joined } from "../../inputs/receive.ts";
import { expectPdf } from "../../inputs/sniff.ts";
import { UPLOADS } from "../../settings/limits.ts";
import { Problem } from "../../shared/problems.ts";
import type { StoredUpload } from "../../storage/uploads.ts";
import { addressAccount, withinQuota } from "../limits/quota.ts";
import type { Exchange } from "./callContext.ts";

/** Maximum number of bytes of a file that are buffered in memory on their way to storage. */
const BUFFERED_BYTES = 100_000;

/** Stores the chunks of a body. */
type Store<T> = (chunks: AsyncIterable<Uint8Array>) => Promise<T>;

/**
 * Receives the body of a request and streams it to `store`. Rejects the beginning of a file if its first bytes do not
 * match the upload's type.
 * @param length length of the body in bytes
 * @throws Problem upload_length_wrong, too_many_requests, too_busy, body_timeout, not_a_pdf
 * @throws EngineError unsupported_image, damaged_image
 */
export async function receiveBody<T>(
  slot: StoredUpload,
  length: number,
  exchange: Exchange,
  { isBeginning, store }: { isBeginning: boolean; store: Store<T> },
): Promise<T> {
  const { request, config } = exchange;
  const pace = { ...config.bodyPace, deadlineMs: slot.expires - Date.now() };
  const memory = new MemoryShare(SENDERS_POOL, pace.deadlineMs, addressAccount(request));
  if (!memory.take(BUFFERED_BYTES)) throw noRoom("Send the file again in a moment.");
  const chunks = readBody(request.body!, { pace, maxBytes: length }, REFUSALS);
  try {
    const { value: head = new Uint8Array() } = await chunks.next();
    if (isBeginning && slot.type === "pdf") expectSignsOfPdf(head);
    else if (isBeginning) detectFormat(head);
    return await receiveWithinQuota(slot, joined([head], chunks), length, exchange, store);
  } finally {
    memory.release();
    await chunks.return(undefined);
  }
}

/**
 * Receives a file within the upload's allowance for aborted transfers. Without this allowance, a sender could abort
 * transfers repeatedly and make the service receive any number of bytes for free. The quota is checked while the file
 * arrives. Files of at most `BUFFERED_BYTES` bytes do not count.
 */
function receiveWithinQuota<T>(
  { key, maxBytes, expires }: StoredUpload,
  chunks: AsyncIterable<Uint8Array>,
  length: number,
  { env, waitUntil }: Exchange,
  store: Store<T>,
): Promise<T> {
  if (length <= BUFFERED_BYTES) return store(chunks);
  const unchargedBytes = UPLOADS.maxFailedSizes * maxBytes;
  const limits = { payments: 1, calls: 20, unchargedMs: 1, unchargedBytes, leaseMs: expires - Date.now() };
  const counted = { name: key, payment: key, bytes: length, refusal: refusalOfFile };
  return withinQuota(env.BUDGETS, counted, limits, waitUntil, async (setCost, allowed) => {
    async function* allowing() {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        setCost({ ms: 0, bytes });
        if (bytes > BUFFERED_BYTES) await allowed;
        yield chunk;
      }
    }
    const stored = await store(allowing());
    setCost({ ms: 0, bytes: 0 });
    return stored;
  });
}

function refusalOfFile(isUnderWay: boolean): string {
  return isUnderWay
    ? "Another request is sending the file right now. Wait until it ends, or create another upload."
    : "Too many transfers to this upload were aborted. Create another upload.";
}

/**
 * Rejects a file whose beginning has neither a PDF header nor an object, because uploads must not store other kinds of
 * files.
 */
function expectSignsOfPdf(head: Uint8Array): void {
  expectPdf(head, undefined);
  if (!/%PDF-|\d\s+obj\b/.test(new TextDecoder("latin1").decode(head)))
    throw new Problem("not_a_pdf", "The file is not a PDF. Check that you sent the right file.");
}

const REFUSALS = {
  brokenOff: (cause: unknown) =>
    new Problem("upload_length_wrong", "The body ended too early. Send the whole file again.", { cause }),
  tooSlow: () => new Problem("body_timeout", "The body arrived too slowly. Send the whole file again."),
};
