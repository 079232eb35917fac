/** Writes docs/licences.md: `npm run licences`, after a change of dependencies. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { licencesDocument } from "./lib/licences.ts";
import { WRANGLER } from "./lib/worker.ts";

const root = join(import.meta.dirname, "..");
const out = mkdtempSync(join(tmpdir(), "overprint-licences-"));
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
try {
  const args = [WRANGLER, "deploy", "--dry-run", "--outdir", out, "--metafile"];
  execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const bundles = { Worker: read(join(out, "bundle-meta.json")), page: read(join(root, "dist/site.meta.json")) };
  writeFileSync(join(root, "docs/licences.md"), licencesDocument(bundles));
} finally {
  rmSync(out, { recursive: true, force: true });
}
