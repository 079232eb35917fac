import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "./engines.ts";
import type { Marked } from "./results.ts";

/** Time limit for a file. An engine that takes longer counts as failed. */
const TIMEOUT_MS = 120_000;

/** Measures an engine on a file in a separate process, so that its memory does not affect the next engine. */
export function runEngine(engine: Engine, path: string): Marked {
  const name = engine.native ? `${engine.name} (whole process)` : engine.name;
  try {
    const args = [join(import.meta.dirname, "measure.ts"), engine.name, path];
    const answer = execFileSync(process.execPath, args, { timeout: TIMEOUT_MS, stdio: ["ignore", "pipe", "ignore"] });
    const { length, ...taken } = JSON.parse(answer.toString()) as Omit<Marked, "name" | "addedBytes"> & {
      length: number;
    };
    const addedBytes = length - statSync(path).size;
    // Node.js cannot measure the memory of a native program
    return { name, ...taken, peakMb: engine.native ? null : taken.peakMb, addedBytes };
  } catch {
    return { name, ms: null, laterMs: null, peakMb: null, addedBytes: null };
  }
}
