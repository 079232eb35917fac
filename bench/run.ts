/**
 * `npm run bench` runs every engine on every input and compares their times with the time for copying the bytes. Our
 * engine runs from its sources and from the npm package. The command then measures marking by ranges, the growth of our
 * engine's time with the number of pages, and text and image marks in workerd. `npm run bench -- a d` runs only the
 * inputs a and d, without marks in workerd. `npm run bench -- --save` saves the engines' results for
 * `docs/performance.md`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FLOOR, OURS, PACKED, PEERS } from "./engines.ts";
import { INPUTS, type InputName, textPages } from "./inputs.ts";
import { unpackEngine } from "./packedEngine.ts";
import type { Results } from "./results.ts";
import { runEngine } from "./runEngine.ts";
import { saveResults } from "./saveResults.ts";

const { values, positionals } = parseArgs({ options: { save: { type: "boolean" } }, allowPositionals: true });
const names = (positionals.length > 0 ? positionals : Object.keys(INPUTS)) as InputName[];
const dir = mkdtempSync(join(tmpdir(), "overprint-bench-"));
const path = join(dir, "input.pdf");

const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
const inputs: Results["engines"]["inputs"] = [];

try {
  unpackEngine();
  for (const name of names) {
    const input = INPUTS[name].make();
    writeFileSync(path, input);
    console.log(`\n(${name}) ${INPUTS[name].title}: ${(input.length / 1e6).toFixed(1)} MB`);
    row(["engine", "ms", "x copy", "x ours", "later, ms", "peak MB", "grown by KB"]);
    row(Array(7).fill("---"));
    const [floor, ours] = [runEngine(FLOOR, path), runEngine(OURS, path)];
    const others = [PACKED, ...PEERS].filter(({ available }) => available?.() !== false);
    const engines = [floor, ours, ...others.map((engine) => runEngine(engine, path))];
    for (const { name: engine, ms, laterMs, peakMb, addedBytes } of engines)
      if (ms === null || addedBytes === null) row([engine, "failed", "", "", "", "", ""]);
      else
        row([
          engine,
          ms.toFixed(ms < 10 ? 2 : 0),
          (ms / floor.ms!).toFixed(1),
          ours.ms === null ? "" : (ms / ours.ms).toFixed(1),
          laterMs?.toFixed(2) ?? "",
          peakMb?.toFixed(0) ?? "",
          (addedBytes / 1024).toFixed(0),
        ]);
    inputs.push({ title: INPUTS[name].title, bytes: input.length, engines });
  }
  if (values.save && positionals.length === 0) await saveResults("engines", { inputs });

  console.log("\nBy ranges, in a separate process");
  for (const name of names) {
    writeFileSync(path, INPUTS[name].make());
    const args = ["--expose-gc", join(import.meta.dirname, "ranges.ts"), path];
    const { ms, liveMb, plannedShare } = JSON.parse(execFileSync(process.execPath, args).toString());
    console.log(
      `(${name}) ${ms.toFixed(0)} ms, ${liveMb.toFixed(0)} MB of live memory after planning; planning read ${(100 * plannedShare).toFixed(1)} %`,
    );
  }

  if (names.includes("d")) {
    console.log("\nGrowth with pages (1 KB each)");
    for (const pages of [1000, 10_000, 50_000]) {
      writeFileSync(path, textPages(pages, 1000, "classic"));
      console.log(`${pages} pages: ${((runEngine(OURS, path).ms! / pages) * 1000).toFixed(1)} ms per 1,000`);
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

if (positionals.length === 0) {
  console.log();
  await import("./text.ts");
  console.log();
  await import("./images.ts");
}
