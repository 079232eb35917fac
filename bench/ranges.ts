/**
 * One file marked over ranges, never in memory as a whole: `node --expose-gc bench/ranges.ts INPUT.pdf` prints milliseconds,
 * the MB of heap and buffers that the planned document keeps alive, and the share of the file that planning has read.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { readImage } from "../src/engine/images/picture.ts";
import { markWithImage } from "../src/engine/marks/imageMark.ts";
import { RangeSource } from "../src/engine/pdf/byteSource.ts";
import { openPdf } from "../src/engine/pdf/document.ts";
import { planOutput } from "../src/engine/pdf/outputPlan.ts";
import { imageRequest } from "../src/schemas.ts";
import { RED_PNG } from "../test/support/png.ts";

const path = process.argv[2]!;
const file = await open(path);
const { size } = await file.stat();
let fetched = 0;
const source = new RangeSource({
  length: size,
  async read(start, end) {
    fetched += end - start;
    return (await file.read(new Uint8Array(end - start), 0, end - start, start)).buffer;
  },
  stream: (start, end) => createReadStream(path, { start, end: end - 1, highWaterMark: 1 << 20 }),
});

/** Heap and buffers that cannot be collected. */
function aliveMb(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const idleMb = aliveMb();
const began = performance.now();
const document = await openPdf(source, { maxPages: 1_000_000 });
markWithImage(
  document,
  imageRequest.parse({ file: "data:", image: "data:" }),
  await readImage(RED_PNG, { maxPixels: 100 }),
);
const plan = await planOutput(document);
const planned = fetched;
const planMs = performance.now() - began;
const liveMb = aliveMb() - idleMb;
const resumed = performance.now();
let length = 0;
for await (const chunk of plan.chunks()) length += chunk.length;
const ms = planMs + performance.now() - resumed;
await file.close();
console.log(JSON.stringify({ ms, liveMb, plannedShare: planned / size, length }));
