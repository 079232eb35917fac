/** Tests the bundle of the package `@overprint/cli`. `npm run check:packages` installs the package. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleCli } from "../../scripts/packages/buildCli.ts";
import { runCli, runProgram } from "../support/cli.ts";

const root = join(import.meta.dirname, "../..");
const CONTRACT = join(root, "examples/contract.pdf");

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "overprint-package-"));
  await bundleCli(root, join(dir, "dist"));
  await symlink(join(root, "packages/cli/package.json"), join(dir, "package.json"));
  const fonts = join(dir, "node_modules/@overprint/fonts"); // replaces the fonts package, which takes seconds to build
  await mkdir(fonts, { recursive: true });
  await writeFile(join(fonts, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  const url = JSON.stringify(`file://${join(root, "fonts")}/`);
  const script = `import { readFile } from "node:fs/promises"; export const loadFont = (path) => readFile(new URL(path, ${url}));`;
  await writeFile(join(fonts, "index.js"), script);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const packed = (...args: string[]) => runProgram(args, { cwd: dir, program: join(dir, "dist/overprint.js") });

test("the package @overprint/cli writes the same bytes as the program run from source, in threads too", async () => {
  const flags = ["mark", CONTRACT, "--text", "社外秘"];
  const { code, bytes, stderr } = await packed(...flags, "-o", "-");
  expect([code, stderr]).toEqual([0, expect.stringContaining("4 pages")]);
  expect(Buffer.compare(bytes, (await runCli([...flags, "-o", "-"])).bytes)).toBe(0);
  await writeFile(join(dir, "names.csv"), "name\nA\nB\n");
  const series = [...flags.slice(0, 3), "社外秘 {name}", "--each", "names.csv", "-o", "out/{name}.pdf", "--jobs", "2"];
  expect(await packed(...series)).toMatchObject({ code: 0, stderr: "" });
  const { bytes: expected } = await runCli([...flags.slice(0, 3), "社外秘 B", "-o", "-"]);
  expect(Buffer.compare(await readFile(join(dir, "out/B.pdf")), expected)).toBe(0);
});

test("the package @overprint/cli has the commands that pay, and omits the commands that need a clone of the repository", async () => {
  const bought = await packed("buy", CONTRACT, "--text", "A", "--url", "http://127.0.0.1:9", "-o", "a.pdf");
  expect([bought.code, bought.stderr]).toEqual([1, expect.stringContaining("cannot be reached")]);
  const help = await packed("--help");
  expect(help.stdout).toMatch(/^ {2}mark .*^ {2}buy .*^ {2}pay .*^ {2}channel /ms);
  for (const command of ["demo", "dev"]) {
    const run = await packed(command);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(`unknown command '${command}'`)]);
  }
});

test("the package @overprint/cli contains the licenses of the bundled packages", async () => {
  const licenses = await readFile(join(dir, "dist/LICENSES.txt"), "utf8");
  for (const name of ["viem", "harfbuzzjs", "commander", "csv-parse", "@x402/evm", "zod"])
    expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+, (MIT|Apache-2.0)$`, "m"));
  expect(await readdir(join(dir, "dist"))).toContain("LICENSE.txt");
});
