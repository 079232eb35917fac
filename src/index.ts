import { app } from "./app.ts";
import { sweep } from "./storage/sweep.ts";

export { Ledger } from "./payments/ledger.ts";

export default {
  fetch: app.fetch,

  async scheduled({ scheduledTime }, env) {
    console.log(JSON.stringify({ event: "sweep", ...(await sweep(env.RESULTS, scheduledTime)) }));
  },
} satisfies ExportedHandler<Env>;
