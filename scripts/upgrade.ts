/**
 * `npm run upgrade -- --check` compares a deployment with this checkout, and says what an upgrade changes and what to do
 * first. It reads OPERATOR_TOKEN and the settings from the environment or from .env.production, and changes nothing.
 */
import { join } from "node:path";
import { upgrade } from "./upgrade/upgrade.ts";

process.exitCode = await upgrade(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
