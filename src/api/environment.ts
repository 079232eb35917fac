import type { RequestIdVariables } from "hono/request-id";
import type { Surroundings } from "../operation.ts";
import type { Payment } from "../payments/payment.ts";
import type { Terms } from "../sale/purchase.ts";
import type { ImageRequest, TextRequest } from "../schemas.ts";

/** What Hono knows of the Worker: its bindings, and what middleware leaves for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    payment: Payment;
    terms: Terms;
    surroundings: Surroundings;
    request: TextRequest | ImageRequest;
  };
}
