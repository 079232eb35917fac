/** Tests that the packages can be built and can mark a file in Node.js. `npm run check:packages` tests more. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadFont } from "../../scripts/lib/loadFont.ts";
import { watermark } from "../../src/engine/index.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { joined } from "../support/bytes.ts";
import { startWorker } from "../support/worker.ts";

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

test("the program in the README of @overprint/client buys a marked file with the built package", async () => {
  await run(process.execPath, [join(root, "scripts/buildPackages.ts"), "client"], { cwd: root });
  const [, program = ""] = /```js\n(.*?)```/s.exec(await readFile(join(root, "packages/client/README.md"), "utf8"))!;
  const [worker, dir] = await Promise.all([startWorker(), mkdtemp(join(tmpdir(), "overprint-client-"))]);
  try {
    const output = join(dir, "marked.pdf");
    const local = program
      .replace('"@overprint/client"', JSON.stringify(join(root, "packages/client/dist/index.js")))
      .replace("https://pdf.example.com", worker.url)
      .replace('"contract.pdf"', JSON.stringify(CONTRACT))
      .replace('"marked.pdf"', JSON.stringify(output));
    const env = { ...process.env, PRIVATE_KEY: DEVELOPMENT_KEY };
    await run(process.execPath, ["--input-type=module", "-e", local], { cwd: root, env });
    expect((await readFile(output, "latin1")).slice(0, 5)).toBe("%PDF-");
  } finally {
    await worker.stop();
    await rm(dir, { recursive: true });
  }
});
