/** Tests `overprint demo` as in a terminal. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { runCleanups } from "../../cli/interrupt.ts";
import { run } from "../../cli/main.ts";

test("overprint demo writes to a new name, prints how to open the result, and serves its link until the command is stopped", async () => {
  const dir = await mkdtemp(join(tmpdir(), "overprint-demo-"));
  await mkdir(join(dir, "out"));
  await writeFile(join(dir, "out/contract-watermarked.pdf"), "an older result");
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stdout] = [terminal(), terminal()];
  let output = "";
  const isRunning = new Promise<void>((resolve) => {
    stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      if (output.includes("Ctrl-C")) resolve();
    });
  });
  const root = process.cwd();
  process.chdir(dir);
  try {
    const io = { stdin, stdout, stderr: new PassThrough(), env: {}, exitCode: 0 };
    const ended = run(["demo"], io);
    await Promise.race([isRunning, ended]);
    expect(output).toMatch(/^Open the result: \S+ out\/contract-watermarked-2\.pdf$/m);
    const [, link = ""] = /^Link, until \S+: (\S+)$/m.exec(output)!;
    const linked = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(await readFile("out/contract-watermarked-2.pdf")).toEqual(linked);
    expect(await readdir("out")).toEqual(["contract-watermarked-2.pdf", "contract-watermarked.pdf"]);
    await runCleanups();
    await ended;
    await expect(fetch(link)).rejects.toThrow();
  } finally {
    process.chdir(root);
    await runCleanups();
    await rm(dir, { recursive: true, force: true });
  }
});
