import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import { describeError, log } from "../log.ts";
import { type Offer, PaymentRequired } from "../payments/offer.ts";
import { type PaymentPayload, readFirstPayment } from "../payments/paymentPayload.ts";
import { problemOf } from "../problems.ts";
import { type Exchange, STAGES, type Stage } from "../service/callContext.ts";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_META } from "../service/idempotencyKey.ts";
import { admitPayer, offerFor, purchase } from "../service/purchase.ts";
import { limitRefusals, refusePenalised } from "../service/rateLimits.ts";
import { delivered, paymentRequired, refused } from "./results.ts";
import type { Tool } from "./tools.ts";

/**
 * Calls a tool. A call whose payment is missing or does not match the offer gets the terms before its arguments are
 * checked. Never throws: errors become tool results.
 */
export async function call(
  { product, resource }: Tool,
  fields: unknown,
  { mcpReq }: ServerContext,
  exchange: Exchange,
): Promise<CallToolResult> {
  const { request, requestId, env } = exchange;
  try {
    const offer = offerFor(product, resource, exchange);
    const payment = paymentIn(mcpReq, request, offer);
    const asked = { ...exchange, signal: mcpReq.signal, ...progressOf(mcpReq) };
    const sentKey = mcpReq._meta?.[IDEMPOTENCY_META] ?? request.headers.get(IDEMPOTENCY_KEY);
    const admitted = await admitPayer(product, payment, offer, asked, sentKey);
    const bought = purchase(admitted, asked, async () => product.accept(fields, "json"));
    exchange.waitUntil(bought.catch(() => undefined)); // releases or settles even if the client disconnects
    return delivered(await bought);
  } catch (thrown) {
    const error = await limitRefusals(thrown as Error, request, env);
    if (error instanceof PaymentRequired) return paymentRequired(error);
    const problem = problemOf(error);
    const { code, status, cause } = problem;
    if (status >= 500 && !mcpReq.signal.aborted)
      log({ event: "failure", request_id: requestId, code, error: describeError(cause ?? problem) });
    return refused(problem, requestId);
  }
}

/**
 * Reads the payment of a call (x402 v2, transport MCP, "Payment Payload Transmission"), or that of the HTTP request
 * around it.
 * @throws PaymentRequired if it is missing or does not match the offer
 * @throws Problem too_many_requests
 */
function paymentIn({ _meta }: ServerContext["mcpReq"], request: Request, offer: Offer): PaymentPayload {
  const { headers } = request;
  const meta = _meta?.["x402/payment"] ?? null;
  const sent = [
    typeof meta === "string" || meta === null ? meta : Object(meta),
    headers.get("PAYMENT-SIGNATURE"),
    headers.get("X-PAYMENT"),
  ];
  if (sent.every((payment) => payment === null))
    throw new PaymentRequired(offer, 'payment required: send it in _meta["x402/payment"]');
  refusePenalised(request);
  return readFirstPayment(sent, offer);
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
