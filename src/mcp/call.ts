import type { CallToolResult, ServerContext } from "@modelcontextprotocol/server";
import type { Config } from "../config.ts";
import { invalidRequest } from "../invalidRequest.ts";
import { STAGES, type Stage } from "../operation.ts";
import { type Offer, PaymentRequired } from "../payments/offer.ts";
import { type Payment, readPayment } from "../payments/payment.ts";
import { problemOf } from "../problems.ts";
import { slowedDown } from "../rateLimits.ts";
import { purchase, termsFor } from "../sale/purchase.ts";
import { surroundingsOf } from "../surroundings.ts";
import { delivered, paymentRequired, refused } from "./results.ts";
import type { Tool } from "./tools.ts";

/** The HTTP request that carries a message, and what answering it needs. */
export interface Exchange {
  request: Request;
  requestId: string;
  env: Env;
  config: Config;
  /** Keeps the Worker at a task though its caller may have gone. */
  waitUntil(task: Promise<unknown>): void;
}

/** Calls a tool: a call without a good-looking payment gets its terms before its arguments are looked at. Never throws. */
export async function call(
  tool: Tool,
  fields: unknown,
  { mcpReq }: ServerContext,
  exchange: Exchange,
): Promise<CallToolResult> {
  try {
    const sale = buy(tool, fields, mcpReq, exchange);
    exchange.waitUntil(sale.catch(() => undefined)); // so that a claim is released, or a settlement told, whoever hangs up
    const { value, receipt } = await sale;
    return delivered(value, receipt);
  } catch (thrown) {
    const error = await slowedDown(thrown as Error, exchange.request, exchange.env);
    if (error instanceof PaymentRequired) return paymentRequired(error);
    const problem = problemOf(error);
    if (problem.status >= 500 && !mcpReq.signal.aborted)
      console.error(exchange.requestId, problem.code, problem.cause ?? problem);
    return refused(problem, exchange.requestId);
  }
}

async function buy(
  { product, resource }: Tool,
  fields: unknown,
  mcpReq: ServerContext["mcpReq"],
  { request, env, config }: Exchange,
) {
  const terms = termsFor(resource, config, request);
  const payment = paymentIn(mcpReq, request.headers, terms.offer);

  const parsed = product.schema.safeParse(fields);
  if (!parsed.success) throw invalidRequest(parsed.error.issues, product.schema);
  return purchase(product, parsed.data, payment, terms, {
    ...surroundingsOf(request, env, config),
    signal: mcpReq.signal,
    ...progressOf(mcpReq),
  });
}

/** The payment of a call (x402 v2, transport MCP, "Payment Payload Transmission"), or of the HTTP request around it. */
function paymentIn({ _meta }: ServerContext["mcpReq"], headers: Headers, offer: Offer): Payment {
  const sent = _meta?.["x402/payment"] ?? headers.get("PAYMENT-SIGNATURE") ?? headers.get("X-PAYMENT");
  if (sent === null) throw new PaymentRequired(offer, 'payment required: send it in _meta["x402/payment"]');
  return readPayment(typeof sent === "string" ? sent : Object(sent), offer);
}

/** Tells a client that asked for it how far a call is: the stages that are done. */
function progressOf({ _meta, notify }: ServerContext["mcpReq"]) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return {
    progress: (stage: Stage) => {
      const params = { progressToken, progress: STAGES.indexOf(stage), total: STAGES.length, message: stage };
      void notify({ method: "notifications/progress", params }).catch(() => undefined); // whoever hung up is told nothing
    },
  };
}
