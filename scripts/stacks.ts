/**
 * `npm run stacks < log.txt` copies its input and replaces each position in the deployed script by the position in the
 * sources. The deployment must be built from the same sources as this checkout: `/healthz` reports their hash.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildScript } from "./lib/buildScript.ts";
import { withSourcePlaces } from "./lib/sourcePlaces.ts";

const root = join(import.meta.dirname, "..");
const out = mkdtempSync(join(tmpdir(), "overprint-stacks-"));
try {
  await buildScript(out);
  const map = new SourceMap(JSON.parse(readFileSync(join(out, "index.js.map"), "utf8")));
  process.stdout.write(withSourcePlaces(readFileSync(0, "utf8"), map, out, root));
} finally {
  rmSync(out, { recursive: true, force: true });
}
