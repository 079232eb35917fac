import type { RequestIdVariables } from "hono/request-id";
import type { Config } from "../config.ts";
import type { ProblemCode } from "../problems.ts";

/** What Hono knows of the Worker: its bindings, and what middleware leaves for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    config: Config;
    /** For the request's line in the log. */
    problem?: ProblemCode | "payment_required";
    tool?: string;
  };
}
