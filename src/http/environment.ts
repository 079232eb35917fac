import type { RequestIdVariables } from "hono/request-id";
import type { Config } from "../settings/config.ts";
import type { RequestFacts } from "../shared/logLines.ts";
import type { RequestStatistics } from "./statistics.ts";

/** Hono's environment: the Worker's bindings, and the variables that middleware and handlers set. */
export interface ApiEnv {
  Bindings: Env & RequestStatistics;
  Variables: RequestIdVariables & {
    /** The deployment's settings. Undefined if they are invalid: see `readSettings`. */
    config: Config;
    fileHost: string | undefined;
    /** Fields of the request's log line. */
    facts: RequestFacts;
  };
}
