import * as z from "zod";
import { readBody } from "../inputs/body.ts";
import { ReceivedJson, readJson } from "../inputs/json.ts";
import { MemoryPool, MemoryShare, noRoom } from "../inputs/memory.ts";
import { counted, joined } from "../inputs/receive.ts";
import { UPLOAD_FIRST } from "../inputs/upload.ts";
import { readFirstPayment } from "../payments/wire/paymentPayload.ts";
import { addressAccount, payerAccount } from "../service/limits/quota.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { countUnused } from "../service/limits/unusedPayments.ts";
import { announcedBytesOf } from "../service/request/bodySize.ts";
import { CallContext, type Exchange } from "../service/sale/callContext.ts";
import {
  type Admitted,
  accountOf,
  admitPayer,
  offerFor,
  quotaUser,
  withinPayerQuota,
} from "../service/sale/purchase.ts";
import { UNPAID_MESSAGE_BYTES } from "../settings/limits.ts";
import { parseBeginning } from "../shared/json/partialJson.ts";
import { Problem } from "../shared/problems.ts";
import { paymentsIn, sentKeyIn } from "./payment.ts";
import { toolsFor } from "./tools.ts";

/** The fields that are read from the beginning of a long message. */
const toolCall = z.object({
  params: z.object({ name: z.string(), _meta: z.record(z.string(), z.unknown()).optional() }),
});

/** The memory pool for messages whose payers are not known yet. */
const UNKNOWN_SENDERS_POOL = new MemoryPool(8_000_000);

/** A received message, with its payment and its memory. */
export interface Message {
  json: ReceivedJson;
  /** The admitted payment of a long message; undefined for a short message. */
  admitted?: Admitted;
  /** Releases the memory of a long message. */
  release: () => void;
  /**
   * Releases the memory and counts the verified payment as unused, because the message did not lead to a call with this
   * payment.
   */
  releaseUnused: () => void;
}

/**
 * Reads a message. A message of more than {@link UNPAID_MESSAGE_BYTES} bytes is read to its end only if its payer is
 * admitted. The first {@link UNPAID_MESSAGE_BYTES} bytes of such a message must contain the tool name, and also the
 * payment unless a header of the request contains it.
 * @throws Problem body_too_large, body_timeout, too_busy, too_many_requests
 * @throws the errors of {@link admitPayer}
 */
export async function readMessage(exchange: Exchange): Promise<Message> {
  const { request, config } = exchange;
  const { maxJsonBytes: maxBytes, bodyPace: pace } = config;
  if (!request.body) return short("");

  const chunks = readBody(request.body, { pace, maxBytes });
  const memory = new MemoryShare(UNKNOWN_SENDERS_POOL, pace.deadlineMs, addressAccount(request));
  try {
    const beginning: Uint8Array[] = [];
    for (let length = 0; length <= UNPAID_MESSAGE_BYTES; ) {
      const { done, value } = await chunks.next();
      if (done) return short(textOf(beginning));
      if (!memory.take(value.length)) throw noRoom();
      beginning.push(Buffer.from(value));
      length += value.length;
    }
    const admitted = await admitSender(beginning, exchange);
    memory.release();
    return await readLong(joined(beginning, chunks), admitted, exchange);
  } finally {
    memory.release();
    await chunks.return(undefined);
  }
}

function short(text: string): Message {
  return { json: new ReceivedJson(text), release() {}, releaseUnused() {} };
}

/**
 * Reads the message of an admitted payer. Until the call is paid, the bytes count against the payer's quota of
 * uncharged bytes.
 */
async function readLong(chunks: AsyncIterable<Uint8Array>, admitted: Admitted, exchange: Exchange): Promise<Message> {
  // holds the memory of the message until the sale is over
  const call = new CallContext(exchange, undefined, accountOf(admitted, exchange));
  const release = () => exchange.waitUntil(call[Symbol.asyncDispose]());
  let isCounted = false;
  const releaseUnused = () => {
    release();
    if (!isCounted && admitted.verified) countUnused(payerAccount(admitted.payment), exchange.request);
    isCounted = true;
  };
  return withinPayerQuota(quotaUser(admitted, exchange), exchange, async (setCost, allowed) => {
    await allowed;
    let readBytes = 0;
    const count = (bytes: number) => {
      readBytes += bytes;
      setCost({ ms: 0, bytes: readBytes });
    };
    const json = await readJson(counted(chunks, count), call.receiving.file, announcedBytesOf(exchange.request));
    return { json, admitted: { ...admitted, readBytes }, release, releaseUnused };
  }).catch((error: unknown) => {
    release();
    throw error;
  });
}

function textOf(chunks: Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Admits the payer of a message. Reads the payment from the beginning of the message or from a header.
 * @throws Problem body_too_large if the tool name or the payment is missing
 */
async function admitSender(beginning: Uint8Array[], exchange: Exchange): Promise<Admitted> {
  const { params } = toolCall.safeParse(parseBeginning(textOf(beginning))).data ?? {};
  const tool = toolsFor(exchange.config).find(({ product }) => product.tool === params?.name);
  const payments = paymentsIn(params?._meta, exchange.request);
  if (!tool || payments.length === 0)
    throw new Problem(
      "body_too_large",
      `A message of more than ${UNPAID_MESSAGE_BYTES} bytes is read only with a payment. Put \`name\` and \`_meta\` with "x402/payment" before \`arguments\`, or put the payment into the PAYMENT-SIGNATURE header. Or send a URL as \`file\`, or ${UPLOAD_FIRST}.`,
    );
  rejectThrottled(exchange.request);
  const offer = offerFor(tool.product, tool.resource(new URL(exchange.request.url).origin), exchange);
  const sentKey = sentKeyIn(params?._meta, exchange.request);
  return admitPayer(tool.product, readFirstPayment(payments, offer), offer, exchange, sentKey);
}
