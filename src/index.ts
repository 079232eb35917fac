import { env as atStart } from "cloudflare:workers";
import { app } from "./app.ts";
import { tellSettings } from "./config.ts";
import { log } from "./log.ts";
import { bucketOf } from "./storage/bucket.ts";
import { sweep } from "./storage/sweep.ts";

export { Budget } from "./service/budget.ts";
export { Ledger } from "./service/ledger.ts";

tellSettings(atStart);

/** The Worker: answers HTTP requests and runs the scheduled sweep. */
export default {
  fetch: app.fetch,

  async scheduled({ scheduledTime }, env) {
    log({ event: "sweep", ...(await sweep(bucketOf(env), scheduledTime)) });
  },
} satisfies ExportedHandler<Env>;
