import { env as envAtStart } from "cloudflare:workers";
import { app } from "./app.ts";
import { loadSettings } from "./settings/config.ts";
import { log } from "./shared/log.ts";
import { bucketOf } from "./storage/bucket.ts";
import { sweep } from "./storage/sweep.ts";

export { Ledger } from "./service/account/ledger.ts";
export { Budget } from "./service/limits/quota.ts";

loadSettings(envAtStart);

/** The Worker: answers HTTP requests and runs the scheduled sweep. */
export default {
  fetch: app.fetch,

  async scheduled({ scheduledTime }, env) {
    log({ event: "sweep", ...(await sweep(bucketOf(env), scheduledTime)) });
  },
} satisfies ExportedHandler<Env>;
