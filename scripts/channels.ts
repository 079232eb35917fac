/**
 * `npm run channels` lists the payment channels of a deployment, with the amounts that are spent but not claimed on the
 * chain. With `--claim --key-file FILE`, the command claims these amounts with the operator's own key, which pays the
 * gas. Use this as the last resort if no facilitator claims. The command reads OPERATOR_TOKEN, RPC_URL and CHANNEL_KEY
 * from the environment or from .env.production.
 */
import { join } from "node:path";
import { channels } from "./channels/channels.ts";

process.exitCode = await channels(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
