import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { readChannelPayment } from "../payments/wire/channelPayload.ts";
import { PaymentRequired } from "../payments/wire/offer.ts";
import { readFirstPayment } from "../payments/wire/paymentPayload.ts";
import { limitRefusals } from "../service/limits/rateLimits.ts";
import { rejectThrottled } from "../service/limits/refusedPayments.ts";
import { idempotencyKeyOf } from "../service/request/idempotencyKey.ts";
import { sentenceOf } from "../service/request/invalidRequest.ts";
import { type Exchange, STAGES, type Stage } from "../service/sale/callContext.ts";
import { purchaseOnChannel } from "../service/sale/channelPurchase.ts";
import type { Product } from "../service/sale/products.ts";
import { signedOffers } from "../service/sale/proof.ts";
import { type Admitted, admitPayer, offerFor, purchase, whileClosed } from "../service/sale/purchase.ts";
import { errorsBeforePayment } from "../service/sale/unpaidErrors.ts";
import type { Config } from "../settings/config.ts";
import { describeError, log } from "../shared/log.ts";
import { type FieldError, problemOf } from "../shared/problems.ts";
import { withFilesAsText } from "./files.ts";
import type { Message } from "./message.ts";
import { paymentsIn, sentKeyIn, takesPaymentRequired } from "./payment.ts";
import { delivered, paymentRequired, paymentRequiredExtension, refused } from "./results.ts";
import type { Tool } from "./tools.ts";

/**
 * Calls a tool. If the payment is missing or does not match the offer, returns the terms and the errors in the call's
 * arguments. Never throws: errors become tool results.
 * @param message the message that calls the tool
 */
export async function call(
  { product, resource }: Tool,
  fields: unknown,
  { mcpReq }: ServerContext,
  exchange: Exchange,
  message?: Message,
): Promise<CallToolResult> {
  const { request, config } = exchange;
  const sentFields = withFilesAsText(fields, product.schemas.json);
  const earlier = message?.admitted;
  let admitted: Admitted | undefined;
  try {
    const offer = offerFor(product, resource(new URL(request.url).origin), exchange);
    const payments = paymentsIn(mcpReq._meta, request);
    if (payments.length === 0) throw new PaymentRequired(offer, 'payment required: send it in _meta["x402/payment"]');
    rejectThrottled(request);
    const caller = { ...exchange, signal: mcpReq.signal, ...progressOf(mcpReq) };
    const sentKey = sentKeyIn(mcpReq._meta, request);
    const accept = async () => product.accept(sentFields, "json", message?.json.tooLong);
    const onChannel = readChannelPayment(payments, offer);
    if (onChannel) {
      const bought = purchaseOnChannel({ product, payment: onChannel, offer, sentKey }, caller, accept);
      // commits or releases the channel's reservation even if the client disconnects
      exchange.waitUntil(bought.catch(() => undefined));
      return delivered(await bought);
    }

    const payment = readFirstPayment(payments, offer);
    const isSamePayment = earlier?.product === product && earlier.payment.request === payment.request;
    const isSameCall = isSamePayment && earlier.key === idempotencyKeyOf(sentKey, payment);
    admitted = isSameCall ? earlier : await admitPayer(product, payment, offer, caller, sentKey, accept);
    if (isSamePayment) admitted.readBytes = earlier.readBytes;

    const bought = purchase(admitted, caller, accept);
    exchange.waitUntil(bought.catch(() => undefined)); // settles or releases the payment even if the client disconnects
    return delivered(await bought);
  } catch (error) {
    const sentKey = sentKeyIn(mcpReq._meta, request);
    const accept = () => product.accept(sentFields, "json");
    const problems = error instanceof PaymentRequired ? await errorsBeforePayment(accept, sentKey, exchange) : [];
    return failed(error, exchange, mcpReq, ({ reason }) => unpaidSentence(product, config, reason, problems), problems);
  } finally {
    if (admitted !== earlier) message?.releaseUnused();
  }
}

/**
 * Returns the tool result for a failed call.
 * @param sentence writes the text of the result if the call is unpaid
 * @param problems errors in the arguments of an unpaid call
 */
export async function failed(
  thrown: unknown,
  { request, requestId, env, config, facts }: Exchange,
  mcpReq: ServerContext["mcpReq"],
  sentence: (unpaid: PaymentRequired) => string,
  problems: readonly FieldError[] = [],
): Promise<CallToolResult> {
  const error = await limitRefusals(whileClosed(thrown as Error, config), request, env);
  if (error instanceof PaymentRequired) {
    Object.assign(facts, { code: "payment_required", reason: error.reason });
    const signed = await signedOffers(error.offer, request, config);
    if (takesPaymentRequired(mcpReq)) return paymentRequiredExtension(error, problems, signed);
    return paymentRequired(error, sentence(error), problems, signed);
  }
  const problem = problemOf(error);
  const { code, status, cause } = problem;
  facts.code = code;
  if (status >= 500 && !mcpReq.signal.aborted)
    log({ event: "failure", request_id: requestId, code, error: describeError(cause ?? problem) });
  return refused(problem, requestId);
}

/**
 * Maximum number of field errors in the text for an unpaid call. The limit keeps the text short, because every word of
 * a result costs tokens of the model.
 */
const MAX_SHOWN_ERRORS = 4;

/** Writes the sentence about the price of an unpaid call. Includes the field errors to fix before paying. */
function unpaidSentence(product: Product, config: Config, reason: string, problems: readonly FieldError[]): string {
  const wrong = problems.slice(0, MAX_SHOWN_ERRORS);
  const fix = wrong.length === 0 ? "" : ` Fix these fields before you pay: ${wrong.map(sentenceOf).join(" ")}`;
  return `This call costs ${product.price(config).label}, paid with x402. A failed call is not charged. If you cannot pay, call request_payment_link and let the user pay. Nothing was done yet (${reason}).${fix}`;
}

/**
 * Returns a function that reports the start of a stage to the client. Returns undefined if the client did not request
 * progress.
 */
function progressOf({ _meta, notify }: ServerContext["mcpReq"]) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return {
    progress: (stage: Stage) => {
      const params = { progressToken, progress: STAGES.indexOf(stage), total: STAGES.length, message: stage };
      // ignores failures, because the client may have disconnected
      void notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}
