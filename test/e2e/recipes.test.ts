/**
 * Checks the recipes of `npm run check:recipes` without executing their steps. A recipe shows how to make a typical
 * change to the project.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editedFiles, insertAfter, replace } from "../../scripts/recipes/edits.ts";
import { RECIPES } from "../../scripts/recipes/recipes.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe.each(RECIPES)("the recipe for $change", ({ change, tests, steps }) => {
  const edits = steps.flatMap((step) => step.edits);
  const reds = steps.flatMap(({ red }) => [...red.types, ...red.tests]);

  test("the anchor text of a recipe's edit occurs exactly once in the file", () => {
    expect(() => editedFiles(edits, read)).not.toThrow();
  });

  test("a recipe names only existing test files and programs", () => {
    const programs = steps.flatMap((step) => step.programs ?? []);
    for (const file of [...tests, ...programs]) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  });

  test("a recipe runs every test file that it expects to fail, and expects no failure after its last step", () => {
    for (const { red } of steps) expect(tests).toEqual(expect.arrayContaining(red.tests));
    expect(steps.at(-1)!.red).toEqual({ types: [], tests: [] });
  });

  test("ARCHITECTURE.md names every file that a recipe edits, and every file that fails between the recipe's steps", () => {
    const row = read("ARCHITECTURE.md")
      .split("\n")
      .find((line) => line.startsWith(`| ${change} |`));
    const files = [...edits.map(({ file }) => file), ...reds].map((file) => file.replace(/^src\//, ""));
    const isNamed = (file: string) =>
      [file, `${file.slice(0, file.lastIndexOf("/"))}/`].some((name) => row?.includes(`\`${name}\``));
    expect(files.filter((file) => !isNamed(file))).toEqual([]);
  });
});

describe("an edit of a recipe", () => {
  test("a recipe applies several edits of one file in the given order", () => {
    const edits = [insertAfter("a", "one", " two"), replace("a", "one two", "three")];
    expect(editedFiles(edits, () => "zero one")).toEqual(new Map([["a", "zero three"]]));
  });

  test.each(["zero", "one one"])("a recipe rejects an edit unless its anchor text occurs exactly once: %s", (text) => {
    expect(() => editedFiles([replace("a", "one", "two")], () => text)).toThrow(
      /^The anchor of an edit .* in a: "one"/,
    );
  });
});
