/**
 * `npm run check:recipes [-- WORD]` replays the recipes of `scripts/recipes/recipes.ts`, or those with WORD in their
 * names. A recipe describes the change of one row of "Where to change what" in ARCHITECTURE.md. The command makes each
 * change step by step in a copy of the checkout. After each step it compiles the copy and runs the recipe's tests. A
 * file is red if it does not compile, or if one of its tests fails. The command fails if the red files differ from the
 * files that the step lists as red.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyCheckout, linkPackages } from "./lib/copyCheckout.ts";
import { editedFiles } from "./recipes/edits.ts";
import { GREEN, RECIPES, type Recipe, type RecipeStep } from "./recipes/recipes.ts";
import { check, run } from "./recipes/replay.ts";

const root = join(import.meta.dirname, "..");

/** Folders of packages that the type checks and tests need. */
const PACKAGES = ["node_modules", "bench/node_modules"];

/** Files that the type checks need although git ignores them. `npm run types` generates them. */
const GENERATED = ["worker-configuration.d.ts", "workers-runtime.d.ts"];

const [word = ""] = process.argv.slice(2);
const recipes = RECIPES.filter(({ change }) => change.includes(word));
if (recipes.length === 0) throw new Error(`No recipe has "${word}" in its name.`);

await mkdir(join(root, "out"), { recursive: true });
const folder = await mkdtemp(join(root, "out/recipes-"));
try {
  const tests = [...new Set(recipes.flatMap((recipe) => recipe.tests))];
  const unchanged: Recipe = { change: "no change", tests, steps: [{ what: "nothing", edits: [], red: GREEN }] };
  if (await isTrue(unchanged)) for (const recipe of recipes) await isTrue(recipe);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Replays a recipe and prints each step. Returns whether, after every step, the red files are exactly those that the
 * step lists.
 */
async function isTrue({ change, tests, steps }: Recipe): Promise<boolean> {
  const checkout = join(folder, change.replaceAll(" ", "-"));
  await copyCheckout(root, checkout);
  for (const path of PACKAGES) await linkPackages(join(root, path), join(checkout, path));
  for (const file of GENERATED) await copyFile(join(root, file), join(checkout, file));

  let allAsNamed = true;
  for (const [index, step] of steps.entries()) {
    await make(step, checkout);
    const { red } = step;
    const found = await check(checkout, tests);
    const faults = (["types", "tests"] as const).flatMap((kind) => [
      ...red[kind].filter((file) => !found[kind].includes(file)).map((file) => `named, but not red: ${file}`),
      ...found[kind].filter((file) => !red[kind].includes(file)).map((file) => `red, but not named: ${file}`),
    ]);
    const isAsNamed = faults.length === 0;
    const reds = [...found.types, ...found.tests].join(", ");
    console.log(
      `${isAsNamed ? "✓" : "✗"} ${change} (${index + 1} of ${steps.length}), ${step.what}: ${reds ? `red ${reds}` : "green"}`,
    );
    if (!isAsNamed) console.log([...faults, found.output].join("\n").replaceAll(/^/gm, "    "));
    allAsNamed &&= isAsNamed;
  }
  if (!allAsNamed) process.exitCode = 1;
  await rm(checkout, { recursive: true });
  return allAsNamed;
}

/**
 * Applies the edits of a step to a checkout, and runs the step's programs.
 * @throws Error if the text that an edit replaces does not occur exactly once, or if a program fails
 */
async function make({ edits, programs = [] }: RecipeStep, checkout: string): Promise<void> {
  const texts = new Map<string, string>();
  for (const { file } of edits) texts.set(file, await readFile(join(checkout, file), "utf8"));
  for (const [file, text] of editedFiles(edits, (file) => texts.get(file)!))
    await writeFile(join(checkout, file), text);
  for (const program of programs) {
    const { code, output } = await run(checkout, [program]);
    if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output}`);
  }
}
