import type { Handler } from "hono";
import { listPurchases } from "../service/account/purchases.ts";
import { countingRefusals, refusePenalised } from "../service/limits/refusedPayments.ts";
import { SIGN_IN, signedIn, signInTerms } from "../service/sale/signIn.ts";
import { Problem } from "../shared/problems.ts";
import type { ApiEnv } from "./environment.ts";
import { signInHeaders } from "./paymentHeaders.ts";

/** Where payers find the links that they have bought. */
export const PURCHASES = "/v1/purchases";

/** Lists what the payer who signs in has bought; tells one who does not what to sign. */
export const readPurchases: Handler<ApiEnv> = async (c) => {
  const asked = { request: c.req.raw, config: c.var.config };
  refusePenalised(asked.request);
  const payer = await countingRefusals(asked.request, () => signedIn(asked));
  if (!payer)
    throw new Problem(
      "sign_in_required",
      `Sign the message that the header PAYMENT-REQUIRED describes (x402 extension sign-in-with-x) with the key that pays, and send it as ${SIGN_IN}. Nothing is charged.`,
      { headers: signInHeaders(signInTerms(asked)) },
    );
  const before = c.req.query("before");
  if (before !== undefined && !/^\d{15}:[\w:-]{1,300}$/.test(before))
    throw new Problem("invalid_request", "`before` must be the `next` of an earlier answer.");
  return c.json(await listPurchases(c.env, payer, before), 200, { "Cache-Control": "no-store" });
};
