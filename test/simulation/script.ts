/**
 * Builds the Worker's script that each simulated machine runs: the modules of `src/`, with stand-ins for the engine and
 * the signatures.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";
import { GLOBALS, MODULES } from "./runtime.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The exports of the Worker that the simulation uses. */
const ENTRY = `
  export { app } from "./src/app.ts";
  export { configOf } from "./src/settings/config.ts";
  export { UPLOADS } from "./src/settings/limits.ts";
  export { LargeFileSlot } from "./src/inputs/largeFileSlot.ts";
  export { PAYERS_POOL, SENDERS_POOL } from "./src/inputs/memory.ts";
  export { log } from "./src/shared/log.ts";
  export { Budget } from "./src/service/limits/quota.ts";
  export { settledConfig } from "./src/service/about/health.ts";
  export { Ledger } from "./src/service/account/ledger.ts";
  export { forgiveRefusals } from "./src/service/limits/refusedPayments.ts";
  export { forgiveUnused } from "./src/service/limits/unusedPayments.ts";
  export { channelIdOf, claimHash, refundHash, voucherHash } from "./src/payments/wire/channelTypes.ts";
  export { sweep } from "./src/storage/sweep.ts";
`;

/** The Worker's functions that compute the hashes for payment channels. Payers and the seller sign these hashes. */
export type ChannelHashes = Pick<
  typeof import("../../src/payments/wire/channelTypes.ts"),
  "channelIdOf" | "claimHash" | "refundHash" | "voucherHash"
>;

/** The Worker's script, as loaded by a machine. */
export interface Script extends ChannelHashes {
  app: typeof import("../../src/app.ts").app;
  configOf: typeof import("../../src/settings/config.ts").configOf;
  UPLOADS: typeof import("../../src/settings/limits.ts").UPLOADS;
  LargeFileSlot: typeof import("../../src/inputs/largeFileSlot.ts").LargeFileSlot;
  PAYERS_POOL: typeof import("../../src/inputs/memory.ts").PAYERS_POOL;
  SENDERS_POOL: typeof import("../../src/inputs/memory.ts").SENDERS_POOL;
  log: typeof import("../../src/shared/log.ts").log;
  Budget: typeof import("../../src/service/limits/quota.ts").Budget;
  settledConfig: typeof import("../../src/service/about/health.ts").settledConfig;
  Ledger: typeof import("../../src/service/account/ledger.ts").Ledger;
  forgiveRefusals: typeof import("../../src/service/limits/refusedPayments.ts").forgiveRefusals;
  forgiveUnused: typeof import("../../src/service/limits/unusedPayments.ts").forgiveUnused;
  sweep: typeof import("../../src/storage/sweep.ts").sweep;
}

/** Replaces modules that would take most of the simulation's time with stand-ins. */
const standIns: Plugin = {
  name: "stand-ins",
  setup({ onResolve }) {
    const standIn = (filter: RegExp, importer: string, path: string) =>
      onResolve({ filter }, (asked) =>
        asked.importer.endsWith(importer) ? { path: join(import.meta.dirname, path) } : undefined,
      );
    standIn(/engine\/index\.ts$/, "src/service/sale/watermark.ts", "engine.ts");
    standIn(/^viem\/utils$/, "src/payments/sale/signIn.ts", "signatures.ts");
    standIn(/^viem\/utils$/, "src/payments/wire/channelTypes.ts", "signatures.ts");
    standIn(/^viem\/accounts$/, "src/payments/wire/channelKey.ts", "signatures.ts");
  },
};

/** Builds the Worker's script. Returns a function that loads the script, each time with separate state. */
export async function buildScript(): Promise<() => Script> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: ROOT, loader: "ts" },
    absWorkingDir: ROOT,
    ...{ bundle: true, write: false, format: "cjs", platform: "node", target: "node22" },
    conditions: ["browser"], // the stand-in for the engine needs no WebAssembly
    loader: { ".wasm": "empty" },
    external: Object.keys(MODULES),
    plugins: [standIns],
  });
  const names = ["module", "require", ...Object.keys(GLOBALS)];
  const load = compileFunction(outputFiles[0]!.text, names, { filename: "worker.js" });
  const nodes = createRequire(import.meta.url);
  return () => {
    const module = { exports: {} };
    load(module, (name: string) => MODULES[name] ?? nodes(name), ...Object.values(GLOBALS));
    return module.exports as Script;
  };
}
