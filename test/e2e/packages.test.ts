/** Tests that the package `@overprint/engine` can be built, and marks a file in Node.js. `npm run check:packages` does more. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { watermark } from "../../src/engine/index.ts";
import { joined } from "../support/bytes.ts";

const root = join(import.meta.dirname, "../..");
const CONTRACT = join(root, "examples/contract.pdf");
const run = promisify(execFile);

/** A program that uses the package without a font loader, as its README does. */
const PROGRAM = `
  import { createHash } from "node:crypto";
  import { readFile } from "node:fs/promises";
  import { watermark } from ${JSON.stringify(join(root, "packages/engine/dist/index.js"))};
  const marked = await watermark(await readFile(${JSON.stringify(CONTRACT)}), { text: "DRAFT" });
  console.log(marked.pages, createHash("sha256").update(await marked.bytes()).digest("hex"));
`;

test("the package @overprint/engine marks a file without a font loader, with the same bytes as the sources", async () => {
  await run(process.execPath, [join(root, "scripts/buildPackages.ts"), "engine"], { cwd: root });
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM], { cwd: root });
  const plan = await watermark(new Uint8Array(await readFile(CONTRACT)), { text: "DRAFT" }, { loadFont });
  const digest = createHash("sha256")
    .update(await joined(plan.chunks()))
    .digest("hex");
  expect(stdout).toBe(`4 ${digest}\n`);
});
