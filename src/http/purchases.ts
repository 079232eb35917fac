import type { Handler } from "hono";
import { listPurchases } from "../service/account/purchases.ts";
import { countingRefusals, rejectThrottled } from "../service/limits/refusedPayments.ts";
import { SIGN_IN, signedIn, signInTerms } from "../service/sale/signIn.ts";
import { Problem } from "../shared/problems.ts";
import type { ApiEnv } from "./environment.ts";
import { signInHeaders } from "./paymentHeaders.ts";

/** Path that lists a payer's purchases. */
export const PURCHASES = "/v1/purchases";

/**
 * Lists the purchases of the signed-in payer.
 * @throws Problem sign_in_required with the message to sign, sign_in_refused, too_many_requests, invalid_request
 */
export const readPurchases: Handler<ApiEnv> = async (c) => {
  const call = { request: c.req.raw, config: c.var.config };
  rejectThrottled(call.request);
  const payer = await countingRefusals(call.request, () => signedIn(call));
  if (!payer)
    throw new Problem(
      "sign_in_required",
      `Listing purchases requires a sign-in. Sign the message in the header PAYMENT-REQUIRED (x402 extension sign-in-with-x) with the paying key, and send it as ${SIGN_IN}. Nothing is charged.`,
      { headers: signInHeaders(signInTerms(call)) },
    );
  const before = c.req.query("before");
  if (before !== undefined && !/^\d{15}:[\w:-]{1,300}$/.test(before))
    throw new Problem(
      "invalid_request",
      "`before` is not a valid page cursor. Use the `next` value of the previous page.",
    );
  return c.json(await listPurchases(c.env, payer, before), 200, { "Cache-Control": "no-store" });
};
