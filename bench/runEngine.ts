import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "./engines.ts";
import type { Marked } from "./results.ts";

/** An engine that takes longer than this for a file fails at it. */
const TIMEOUT_MS = 120_000;

/** Runs an engine on a file, in its own process, so that its memory does not affect the next. */
export function runEngine(engine: Engine, path: string): Marked {
  const name = engine.native ? `${engine.name} (whole process)` : engine.name;
  try {
    const args = [join(import.meta.dirname, "measure.ts"), engine.name, path];
    const answer = execFileSync(process.execPath, args, { timeout: TIMEOUT_MS, stdio: ["ignore", "pipe", "ignore"] });
    const { length, ...taken } = JSON.parse(answer.toString()) as Omit<Marked, "name" | "addedBytes"> & {
      length: number;
    };
    const addedBytes = length - statSync(path).size;
    return { name, ...taken, peakMb: engine.native ? null : taken.peakMb, addedBytes }; // a native program's memory is not Node's
  } catch {
    return { name, ms: null, laterMs: null, peakMb: null, addedBytes: null };
  }
}
