import type { RequestIdVariables } from "hono/request-id";
import type { Config } from "../settings/config.ts";
import type { RequestFacts } from "../shared/log.ts";
import type { RequestStatistics } from "./statistics.ts";

/** The environment of Hono: the Worker's bindings, and the variables that middleware and handlers set. */
export interface ApiEnv {
  Bindings: Env & RequestStatistics;
  Variables: RequestIdVariables & {
    /** Not there for what is served while the settings are wrong: see `readSettings`. */
    config: Config;
    fileHost: string | undefined;
    /** Logged with the request. */
    facts: RequestFacts;
  };
}
