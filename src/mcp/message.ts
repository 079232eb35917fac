import * as z from "zod";
import { readBody } from "../inputs/body.ts";
import { ReceivedJson, readJson } from "../inputs/json.ts";
import { MemoryPool, MemoryShare, noRoom } from "../inputs/memory.ts";
import { counted, joined } from "../inputs/receive.ts";
import { UPLOAD_FIRST } from "../inputs/upload.ts";
import { readFirstPayment } from "../payments/wire/paymentPayload.ts";
import { addressAccount, payerAccount } from "../service/limits/budget.ts";
import { refusePenalised } from "../service/limits/refusedPayments.ts";
import { countUnused } from "../service/limits/vainPayments.ts";
import { announcedBytesOf } from "../service/request/bodySize.ts";
import { CallContext, type Exchange } from "../service/sale/callContext.ts";
import { type Admitted, accountOf, admitPayer, offerFor, withBudget } from "../service/sale/purchase.ts";
import { UNPAID_MESSAGE_BYTES } from "../settings/config.ts";
import { parseBeginning } from "../shared/json/partialJson.ts";
import { Problem } from "../shared/problems.ts";
import { paymentsIn, sentKeyIn } from "./payment.ts";
import { toolsFor } from "./tools.ts";

/** What has to be known of a long message by its beginning. */
const toolCall = z.object({
  params: z.object({ name: z.string(), _meta: z.record(z.string(), z.unknown()).optional() }),
});

/** For messages whose senders are not known yet. */
const STRANGERS_POOL = new MemoryPool(8_000_000);

/** A message of a client. */
export interface Message {
  json: ReceivedJson;
  /** The payer whom a long message was read for. */
  admitted?: Admitted;
  /** Ends what is held of the pool for a long message. */
  release: () => void;
  /** Does so for one that does not call with what it was admitted by: that payment was verified in vain. */
  refuse: () => void;
}

/**
 * Reads a message. One that goes on past {@link UNPAID_MESSAGE_BYTES} must have the name of its tool and its payment
 * in there, or the payment in a header: the rest is read for an admitted payer only.
 * @throws Problem body_too_large, body_timeout, too_busy, too_many_requests
 * @throws PaymentRequired, PaymentError as {@link admitPayer}
 */
export async function readMessage(exchange: Exchange): Promise<Message> {
  const { request, config } = exchange;
  const { maxJsonBytes: maxBytes, bodyPace: pace } = config;
  if (!request.body) return short("");

  const chunks = readBody(request.body, { pace, maxBytes });
  const unknown = new MemoryShare(STRANGERS_POOL, pace.deadlineMs, addressAccount(request));
  try {
    const read: Uint8Array[] = [];
    for (let length = 0; length <= UNPAID_MESSAGE_BYTES; ) {
      const { done, value } = await chunks.next();
      if (done) return short(textOf(read));
      if (!unknown.take(value.length)) throw noRoom();
      read.push(Buffer.from(value));
      length += value.length;
    }
    const admitted = await admitSender(read, exchange);
    unknown.release();
    return await readLong(joined(read, chunks), admitted, exchange);
  } finally {
    unknown.release();
    await chunks.return(undefined);
  }
}

function short(text: string): Message {
  return { json: new ReceivedJson(text), release() {}, refuse() {} };
}

/** Reads the message of an admitted payer, within its budget: what is read counts until it has paid. */
async function readLong(chunks: AsyncIterable<Uint8Array>, admitted: Admitted, exchange: Exchange): Promise<Message> {
  // has what the message takes until the sale is over
  const call = new CallContext(exchange, undefined, accountOf(admitted, exchange));
  const release = () => exchange.waitUntil(call[Symbol.asyncDispose]());
  let isRefused = false;
  const refuse = () => {
    release();
    if (!isRefused && admitted.verified) countUnused(payerAccount(admitted.payment), exchange.request);
    isRefused = true;
  };
  return withBudget(admitted, exchange, async (spend, allowed) => {
    await allowed;
    let readBytes = 0;
    const count = (bytes: number) => {
      readBytes += bytes;
      spend({ ms: 0, bytes: readBytes });
    };
    const json = await readJson(counted(chunks, count), call.limits.file, announcedBytesOf(exchange.request));
    return { json, admitted: { ...admitted, readBytes }, release, refuse };
  }).catch((error: unknown) => {
    release();
    throw error;
  });
}

function textOf(pieces: Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/**
 * Admits the payer of a message by its beginning.
 * @throws Problem body_too_large if it names no tool or no payment
 */
async function admitSender(beginning: Uint8Array[], exchange: Exchange): Promise<Admitted> {
  const { params } = toolCall.safeParse(parseBeginning(textOf(beginning))).data ?? {};
  const tool = toolsFor(exchange.config).find(({ product }) => product.tool === params?.name);
  const sent = paymentsIn(params?._meta, exchange.request);
  if (!tool || sent.length === 0)
    throw new Problem(
      "body_too_large",
      `A message of more than ${UNPAID_MESSAGE_BYTES} bytes is read for a payer only: put \`name\` and \`_meta\` with "x402/payment" before \`arguments\`, or the payment into the PAYMENT-SIGNATURE header. Or send a URL as \`file\`, or ${UPLOAD_FIRST}.`,
    );
  refusePenalised(exchange.request);
  const offer = offerFor(tool.product, tool.resource(new URL(exchange.request.url).origin), exchange);
  const sentKey = sentKeyIn(params?._meta, exchange.request);
  return admitPayer(tool.product, readFirstPayment(sent, offer), offer, exchange, sentKey);
}
