/**
 * `npm run bench` runs every engine on every input and compares the times to copying the bytes. It then measures
 * marking by ranges, how our time grows with pages, calls of the running Worker, and text and image marks in workerd.
 * `npm run bench -- a d` runs only some inputs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Engine, FLOOR, OURS, PEERS } from "./engines.ts";
import { INPUTS, type InputName, textPages } from "./inputs.ts";

const TIMEOUT_MS = 120_000;

interface Measured {
  ms: number;
  peakMb: number;
  length: number;
}

const names = (process.argv.length > 2 ? process.argv.slice(2) : Object.keys(INPUTS)) as InputName[];
const dir = mkdtempSync(join(tmpdir(), "overprint-bench-"));
const path = join(dir, "input.pdf");

/** Runs an engine in its own process, so that its memory does not affect the next. Returns undefined if it fails. */
function measure(engine: Engine): Measured | undefined {
  try {
    const args = [join(import.meta.dirname, "measure.ts"), engine.name, path];
    return JSON.parse(
      execFileSync(process.execPath, args, { timeout: TIMEOUT_MS, stdio: ["ignore", "pipe", "ignore"] }).toString(),
    );
  } catch {
    return undefined;
  }
}

const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);

try {
  for (const name of names) {
    const input = INPUTS[name].make();
    writeFileSync(path, input);
    console.log(`\n(${name}) ${INPUTS[name].title}: ${(input.length / 1e6).toFixed(1)} MB`);
    row(["engine", "ms", "x copy", "x ours", "peak MB", "grown by KB"]);
    row(Array(6).fill("---"));
    const floor = measure(FLOOR)!,
      ours = measure(OURS);
    for (const engine of [FLOOR, OURS, ...PEERS]) {
      if (engine.available?.() === false) continue;
      const result = engine === FLOOR ? floor : engine === OURS ? ours : measure(engine);
      const label = engine.native ? `${engine.name} (whole process)` : engine.name;
      if (!result) row([label, "failed", "", "", "", ""]);
      else
        row([
          label,
          result.ms.toFixed(result.ms < 10 ? 2 : 0),
          (result.ms / floor.ms).toFixed(1),
          ours ? (result.ms / ours.ms).toFixed(1) : "",
          engine.native ? "" : result.peakMb.toFixed(0),
          ((result.length - input.length) / 1024).toFixed(0),
        ]);
    }
  }

  console.log("\nOver ranges, in a process of its own");
  for (const name of names) {
    writeFileSync(path, INPUTS[name].make());
    const args = ["--expose-gc", join(import.meta.dirname, "ranges.ts"), path];
    const { ms, liveMb, plannedShare } = JSON.parse(execFileSync(process.execPath, args).toString());
    console.log(
      `(${name}) ${ms.toFixed(0)} ms, ${liveMb.toFixed(0)} MB of heap and buffers alive once planned; planning read ${(100 * plannedShare).toFixed(1)} %`,
    );
  }

  if (names.includes("d")) {
    console.log("\nGrowth with pages (1 KB each)");
    for (const pages of [1000, 10_000, 50_000]) {
      writeFileSync(path, textPages(pages, 1000, "classic"));
      console.log(`${pages} pages: ${((measure(OURS)!.ms / pages) * 1000).toFixed(1)} ms per 1,000`);
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

console.log();
await import("./call.ts");
console.log();
await import("./text.ts");
console.log();
await import("./images.ts");
