import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, inject, test } from "vitest";
import { licensesDocument } from "../../scripts/lib/licenses.ts";
import { builtWorker } from "../support/builtWorkers.ts";

const root = join(import.meta.dirname, "../..");
const read = async (path: string) => JSON.parse(await readFile(path, "utf8"));

test("docs/licenses.md lists every deployed dependency (run `npm run licenses` to update the list)", async () => {
  const folder = dirname(await builtWorker(inject("builtWorkers"), "src/index.ts"));
  const [Worker, page] = await Promise.all([
    read(join(folder, "bundle-meta.json")),
    read(join(root, "dist/site.meta.json")),
  ]);
  expect(await readFile(join(root, "docs/licenses.md"), "utf8")).toBe(licensesDocument({ Worker, page }));
});
