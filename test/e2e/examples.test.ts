import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { render } from "./render.ts";

const root = join(import.meta.dirname, "../..");

test("examples/engine.ts marks every page of a file", async () => {
  const dir = await mkdtemp(join(tmpdir(), "overprint-"));
  try {
    const [source, output] = [join(dir, "source.pdf"), join(dir, "output.pdf")];
    await writeFile(source, await samplePdf());
    const args = [join(root, "examples/engine.ts"), source, output, "SECRET"];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toContain("4 pages marked");

    const [before, after] = await Promise.all([source, output].map(async (path) => render(await readFile(path))));
    const nowhere = { left: 0, top: 0, right: 0, bottom: 0 };
    for (const [page, marked] of after!.entries())
      expect(marked.changedOutside(nowhere, before![page]!)).toBeGreaterThan(500);
    expect(after).toHaveLength(4);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
