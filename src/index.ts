import { app } from "./app.ts";
import { log } from "./log.ts";
import { sweep } from "./storage/sweep.ts";

export { Ledger } from "./service/ledger.ts";

export default {
  fetch: app.fetch,

  async scheduled({ scheduledTime }, env) {
    log({ event: "sweep", ...(await sweep(env.RESULTS, scheduledTime)) });
  },
} satisfies ExportedHandler<Env>;
