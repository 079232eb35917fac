import type { RequestIdVariables } from "hono/request-id";
import type { Config } from "../config.ts";
import type { ProblemCode } from "../problems.ts";

/** The environment of Hono: the Worker's bindings, and the variables that middleware and handlers set. */
export interface ApiEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    /** Not there for what is served while the settings are wrong: see `readSettings`. */
    config: Config;
    fileHost: string | undefined;
    /** Logged with the request, as is `tool`. */
    problem?: ProblemCode | "payment_required";
    tool?: string;
  };
}
