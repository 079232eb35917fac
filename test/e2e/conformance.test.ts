import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningWorker, startWorker } from "../../scripts/lib/worker.ts";

const SUITE = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");

/** Worker that wrangler runs, as for `npm run dev`. */
let worker: RunningWorker;
beforeAll(async () => {
  worker = await startWorker();
});
afterAll(() => worker?.stop());

test.each(["2026-07-28", "2025-11-25"])(
  "the MCP server passes the official MCP conformance suite for revision %s",
  async (revision) => {
    const expected = join(import.meta.dirname, "conformance", `${revision}.yaml`);
    const scope = ["--url", `${worker.url}/mcp`, "--requirements", revision, "--expected-failures", expected];
    const { stdout } = await promisify(execFile)(process.execPath, [SUITE, "server", ...scope]).catch(
      (failed: { stdout: string }) => {
        throw new Error(failed.stdout);
      },
    );
    expect(stdout).toContain("dns-rebinding-protection: 2 passed, 0 failed");
  },
);
