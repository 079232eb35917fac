/**
 * `npm run backup -- FILE` writes a deployment's sales and obligations to a file: daybooks, purchase lists, payments
 * and payment channels. The command reads OPERATOR_TOKEN from the environment or from .env.production.
 */
import { join } from "node:path";
import { backup } from "./backup/backup.ts";

process.exitCode = await backup(process.argv.slice(2), {
  settingsFile: join(import.meta.dirname, "../.env.production"),
  env: process.env,
  print: console.log,
  complain: console.error,
});
