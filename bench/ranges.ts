/**
 * Marks a file by ranges, without loading the whole file: `node --expose-gc bench/ranges.ts INPUT.pdf`. It prints JSON:
 * the milliseconds, the live memory of the plan (heap and buffers, in MB), the share of the file that planning has
 * read, and the length of the output.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { watermark } from "../src/engine/index.ts";
import { RED_PNG } from "../test/support/png.ts";

const path = process.argv[2]!;
const file = await open(path);
const { size } = await file.stat();
let fetched = 0;
const source = {
  length: size,
  async read(start: number, end: number) {
    fetched += end - start;
    return (await file.read(new Uint8Array(end - start), 0, end - start, start)).buffer;
  },
  stream: (start: number, end: number) => createReadStream(path, { start, end: end - 1, highWaterMark: 1 << 20 }),
};

/** Returns the live memory of heap and buffers together, in MB. */
function aliveMb(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const idleMb = aliveMb();
const began = performance.now();
const plan = await watermark(source, { image: RED_PNG });
const planned = fetched;
const planMs = performance.now() - began;
const liveMb = aliveMb() - idleMb;
const resumed = performance.now();
let length = 0;
for await (const chunk of plan.chunks()) length += chunk.length;
const ms = planMs + performance.now() - resumed;
await file.close();
console.log(JSON.stringify({ ms, liveMb, plannedShare: planned / size, length }));
