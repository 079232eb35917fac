import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { PaymentRequired } from "../payments/wire/offer.ts";
import { readFirstPayment } from "../payments/wire/paymentPayload.ts";
import { limitRefusals } from "../service/limits/rateLimits.ts";
import { refusePenalised } from "../service/limits/refusedPayments.ts";
import { idempotencyKeyOf } from "../service/request/idempotencyKey.ts";
import { sentenceOf } from "../service/request/invalidRequest.ts";
import { type Exchange, STAGES, type Stage } from "../service/sale/callContext.ts";
import type { Product } from "../service/sale/products.ts";
import { signedOffers } from "../service/sale/proof.ts";
import { admitPayer, offerFor, purchase, whileClosed } from "../service/sale/purchase.ts";
import type { Config } from "../settings/config.ts";
import { describeError, log } from "../shared/log.ts";
import { type FieldError, problemOf } from "../shared/problems.ts";
import { withFilesAsText } from "./files.ts";
import type { Message } from "./message.ts";
import { paymentsIn, sentKeyIn } from "./payment.ts";
import { delivered, paymentRequired, refused } from "./results.ts";
import type { Tool } from "./tools.ts";

/**
 * Calls a tool. A call whose payment is missing or does not match the offer gets the terms, and is told what is wrong with
 * its arguments. Never throws: errors become tool results.
 * @param message what it was called by
 */
export async function call(
  { product, resource }: Tool,
  fields: unknown,
  { mcpReq }: ServerContext,
  exchange: Exchange,
  message?: Message,
): Promise<CallToolResult> {
  const { request, config } = exchange;
  const early = message?.admitted;
  const sentFields = withFilesAsText(fields, product.schemas.json);
  let isUsed = false;
  try {
    const offer = offerFor(product, resource(new URL(request.url).origin), exchange);
    const sent = paymentsIn(mcpReq._meta, request);
    if (sent.length === 0) throw new PaymentRequired(offer, 'payment required: send it in _meta["x402/payment"]');
    refusePenalised(request);
    const payment = readFirstPayment(sent, offer);
    const asked = { ...exchange, signal: mcpReq.signal, ...progressOf(mcpReq) };
    const sentKey = sentKeyIn(mcpReq._meta, request);
    const isSamePayment = early?.product === product && early.payment.request === payment.request;
    const isAdmitted = isSamePayment && early.key === idempotencyKeyOf(sentKey, payment);
    isUsed = isAdmitted;
    const admitted = isAdmitted ? early : await admitPayer(product, payment, offer, asked, sentKey);
    if (isSamePayment) admitted.readBytes = early.readBytes;
    const bought = purchase(admitted, asked, async () => product.accept(sentFields, "json", message?.json.tooLong));
    exchange.waitUntil(bought.catch(() => undefined)); // releases or settles even if the client disconnects
    return delivered(await bought);
  } catch (error) {
    return failed(error, exchange, mcpReq.signal, ({ reason }) => unpaidSentence(product, config, reason, sentFields));
  } finally {
    if (!isUsed) message?.refuse();
  }
}

/**
 * Returns the tool result for a call that has failed.
 * @param sentence says what a call costs that was not paid
 */
export async function failed(
  thrown: unknown,
  { request, requestId, env, config, facts }: Exchange,
  signal: AbortSignal,
  sentence: (unpaid: PaymentRequired) => string,
): Promise<CallToolResult> {
  const error = await limitRefusals(whileClosed(thrown as Error, config), request, env);
  if (error instanceof PaymentRequired) {
    Object.assign(facts, { code: "payment_required", reason: error.reason });
    return paymentRequired(error, sentence(error), await signedOffers(error.offer, request, config));
  }
  const problem = problemOf(error);
  const { code, status, cause } = problem;
  facts.code = code;
  if (status >= 500 && !signal.aborted)
    log({ event: "failure", request_id: requestId, code, error: describeError(cause ?? problem) });
  return refused(problem, requestId);
}

/** Says what a call costs that has not been paid, and what is wrong with its fields: it had better be mended before. */
function unpaidSentence(product: Product, config: Config, reason: string, fields: unknown): string {
  const wrong = wrongFields(product, fields);
  const mend = wrong.length === 0 ? "" : ` Before you pay, mend what would fail: ${wrong.map(sentenceOf).join(" ")}`;
  return `This costs ${product.price(config).label}, paid with x402; nothing is charged when it fails. Nothing was done yet (${reason}).${mend}`;
}

function wrongFields(product: Product, fields: unknown): FieldError[] {
  try {
    product.accept(fields, "json");
    return [];
  } catch (error) {
    return problemOf(error).errors ?? [];
  }
}

/** Reports the progress of a call, as the number of stages done, to a client that asked for it. */
function progressOf({ _meta, notify }: ServerContext["mcpReq"]) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return {
    progress: (stage: Stage) => {
      const params = { progressToken, progress: STAGES.indexOf(stage), total: STAGES.length, message: stage };
      void notify({ method: "notifications/progress", params }).catch(() => undefined); // the client may be gone
    },
  };
}
