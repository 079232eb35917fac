/**
 * Tests that a contributor's settings in .dev.vars or .env, which are meant for `npm run dev`, affect neither the
 * generated types nor the tests.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { scripts } from "../../package.json";
import { workerOptionsIn } from "../../scripts/lib/workerOptions.ts";

const root = join(import.meta.dirname, "../..");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "overprint-settings-"));
  await mkdir(join(folder, "scripts/lib"), { recursive: true });
  await copyFile(join(root, "scripts/lib/no.vars"), join(folder, "scripts/lib/no.vars"));
  const config =
    'name = "a"\ncompatibility_date = "2026-11-01"\n[[r2_buckets]]\nbinding = "B"\nbucket_name = "bucket"\n';
  await writeFile(join(folder, "wrangler.toml"), config);
  return () => rm(folder, { recursive: true, force: true });
});

test("generated types and test Workers ignore settings in .dev.vars and .env", async () => {
  for (const name of [".dev.vars", ".env"]) await writeFile(join(folder, name), 'PRICE="0.07"\nGREETING="hello"\n');
  const [, words = ""] = /wrangler\.js (types .*?) &&/.exec(scripts.types) ?? [];
  const program = join(root, "node_modules/wrangler/bin/wrangler.js");
  await promisify(execFile)(process.execPath, [program, ...words.split(" "), "--include-runtime=false"], {
    cwd: folder,
  });
  const types = await readFile(join(folder, "worker-configuration.d.ts"), "utf8");
  expect(types).toContain("B: R2Bucket;");
  expect(types).not.toMatch(/PRICE|GREETING/);
  const { bindings, r2Buckets } = workerOptionsIn(folder);
  expect([bindings, r2Buckets]).toEqual([{}, { B: expect.anything() }]);
});
