import { app } from "./app.ts";

export { Ledger } from "./payments/ledger.ts";

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
