/**
 * `npm run channels` lists the payment channels of a deployment with the amounts that are sold but not claimed. With
 * `--claim --key-file FILE`, it claims them with the operator's own key, which pays the gas. This is the last resort if
 * no facilitator claims. It reads OPERATOR_TOKEN, RPC_URL and CHANNEL_KEY from the environment or from .env.production.
 */
import { join } from "node:path";
import { channels } from "./channels/channels.ts";

process.exitCode = await channels(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
