/**
 * `npm run restore -- FILE` restores the records of a backup in a deployment that has lost them. The deployment must have
 * the setting SELLING=false. The command reads OPERATOR_TOKEN from the environment or from .env.production.
 */
import { join } from "node:path";
import { restore } from "./backup/restore.ts";

process.exitCode = await restore(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
