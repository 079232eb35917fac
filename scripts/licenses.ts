/** `npm run licenses` writes docs/licenses.md. Run it whenever the dependencies change. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildScript, METAFILE } from "./lib/buildScript.ts";
import { licensesDocument } from "./lib/licenses.ts";

const root = join(import.meta.dirname, "..");
const out = mkdtempSync(join(tmpdir(), "overprint-licenses-"));
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
try {
  await buildScript(out);
  const bundles = { Worker: read(join(out, METAFILE)), page: read(join(root, "dist/site.meta.json")) };
  writeFileSync(join(root, "docs/licenses.md"), licensesDocument(bundles));
} finally {
  rmSync(out, { recursive: true, force: true });
}
