/** The first command of README.md. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const cwd = join(import.meta.dirname, "../..");

test.each([
  [["--txt", "DRAFT"], "'--txt'"],
  [["nowhere.pdf"], "'nowhere.pdf'"],
  [["--image", "nowhere.png"], "'nowhere.png'"],
])("demo %j says what is wrong, and what it takes", async (args, what) => {
  const failed = run(process.execPath, ["scripts/demo.ts", ...args], { cwd });
  const { code, stderr } = (await failed.catch((error: unknown) => error)) as { code: number; stderr: string };
  expect(code).toBe(2);
  expect(stderr).toContain(what);
  expect(stderr).toContain("usage: npm run demo -- [FILE] [--image …] [--text …]");
  expect(stderr.trim().split("\n")).toHaveLength(2);
});
