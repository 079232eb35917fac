/** Compares the table of docs/clients.md with the clients that `npm run check:clients` runs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ABILITIES, CLIENTS } from "../../scripts/clients/clients.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFile(join(root, path), "utf8");

/** Returns the pinned versions of the client packages. */
async function pinnedVersions(): Promise<Record<string, string>> {
  const [own, shared] = await Promise.all(["scripts/clients/package.json", "package.json"].map(read));
  return {
    ...JSON.parse(shared!).devDependencies,
    ...JSON.parse(shared!).dependencies,
    ...JSON.parse(own!).dependencies,
  };
}

test("docs/clients.md lists each checked client with its pinned version, what it can do, and the reason for what it cannot do", async () => {
  const versions = await pinnedVersions();
  const rows = CLIENTS.map(({ name, package: from, can, reason = "" }) => {
    const abilities = ABILITIES.map((ability) => (can.includes(ability) ? "yes" : "no"));
    return `| ${[name, versions[from], ...abilities, reason].join(" | ").trimEnd()} |`;
  });
  const [, table] = (await read("docs/clients.md")).split(
    "| client | version | list | free | terms | buy | reason |\n",
  );
  const [, ...shown] = table!.split("\n").filter((line) => line.startsWith("|"));
  expect(shown).toEqual(rows);
});

test("a checked client states a reason if, and only if, it lacks an ability that docs/clients.md lists", () => {
  for (const { name, can, reason } of CLIENTS)
    expect([name, can.length === ABILITIES.length]).toEqual([name, reason === undefined]);
});
