/**
 * `npm run commits` checks the subjects of all commits since `BASE` against commitlint.config.mjs. It skips the check
 * where history is missing: in shallow clones and in copies without Git.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The last commit whose subject need not follow the rules. */
const BASE = "83d9dfc1696b16cfbffdc19fd4a41138b35dbf30";
const root = join(import.meta.dirname, "..");

if (spawnSync("git", ["merge-base", "--is-ancestor", BASE, "HEAD"], { cwd: root, stdio: "ignore" }).status !== 0)
  console.log(`Commit subjects are not checked: the history back to ${BASE.slice(0, 7)} is missing`);
else {
  const commitlint = join(root, "scripts/words/node_modules/@commitlint/cli/cli.js");
  const { status } = spawnSync(process.execPath, [commitlint, "--from", BASE, "--to", "HEAD"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status === 0) console.log("Commit subjects follow `area: imperative`");
  process.exitCode = status ?? 1;
}
