import type { RequestIdVariables } from "hono/request-id";
import type { Payment, PaymentRequirement } from "../payments/x402.ts";

/** What Hono knows of the Worker: its bindings, and what middleware leaves for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: RequestIdVariables & { payment: Payment; requirement: PaymentRequirement };
}
