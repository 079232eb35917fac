/**
 * `npm run revenue -- --since 7d` counts the sales of a deployment and reconciles them with the chain. The command
 * reads OPERATOR_TOKEN and RPC_URL from the environment or from .env.production, as `npm run deploy` does. The exit
 * code is 1 if sales and transfers differ.
 */
import { join } from "node:path";
import { revenue } from "./revenue/revenue.ts";

process.exitCode = await revenue(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
