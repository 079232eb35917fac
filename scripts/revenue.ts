/**
 * `npm run revenue -- --since 7d` counts what a deployment has sold, and holds it against the chain. It needs
 * OPERATOR_TOKEN, and RPC_URL for the chain, from the environment or from .env.production, as `npm run deploy` has them.
 * Exit code 1: sold is not what moved.
 */
import { join } from "node:path";
import { revenue } from "./revenue/revenue.ts";

process.exitCode = await revenue(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
