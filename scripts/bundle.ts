/**
 * Builds the Worker as a deployment does, and fails if the script exceeds its size limit. A larger script starts more
 * slowly.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildScript } from "./lib/buildScript.ts";

/**
 * Size limit of the gzipped script. HarfBuzz takes 180 KB, the MCP server 60 KB, the page 13 KB, payment channels 12
 * KB, payment links 9 KB, and the operators' functions 6 KB.
 */
const BUDGET_KB = 552;

const out = mkdtempSync(join(tmpdir(), "overprint-bundle-"));
try {
  await buildScript(out);
  const files = readdirSync(out).filter((name) => /\.(js|wasm)$/.test(name));
  const kb = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name))).length, 0) / 1024;
  console.log(`bundle: ${kb.toFixed(0)} KB gzip (${files.join(", ")}), budget ${BUDGET_KB} KB`);
  if (kb > BUDGET_KB) process.exitCode = 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
