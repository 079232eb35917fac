/**
 * `npm run takedown -- LINK` deletes the result of a download link, and `npm run takedown -- --payer 0x…` deletes all
 * results of a payer. The command reads OPERATOR_TOKEN from the environment or from .env.production. The exit code is 1
 * if nothing was deleted.
 */
import { join } from "node:path";
import { takedown } from "./takedown/takedown.ts";

process.exitCode = await takedown(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
