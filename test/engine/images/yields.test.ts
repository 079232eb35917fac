import { expect, test } from "vitest";
import { readPng } from "../../../src/engine/images/png.ts";
import { encodePng, type PngSpec } from "./encodePng.ts";
import { LIMITS } from "./expected.ts";

const SIDE = 700;
/** Maximum number of pixel bytes that may be processed between two yields to the event loop. */
const MAX_BYTES_BETWEEN_YIELDS = 256 * 1024;

/** Returns the number of yields to the event loop during `work`. */
async function yieldsDuring(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  let yields = 0;
  for (; !isDone; yields++) await new Promise((resolve) => setImmediate(resolve));
  await ended;
  return yields;
}

const transparent = (x: number, y: number) => [x & 255, y & 255, 0, (x ^ y) & 255];

test.each<[string, Partial<PngSpec>, number]>([
  ["alpha", {}, 1],
  ["alpha and interlacing", { interlaced: true }, 2],
  ["interlacing", { colorType: 2, interlaced: true, samples: (x, y) => [x & 255, y & 255, 0] }, 2],
  ["grays in three channels", { colorType: 2, samples: (x) => Array(3).fill(x & 255) }, 1],
  ["colors without alpha", { colorType: 2, samples: (x, y) => [x & 255, y & 255, 0] }, 1],
])("reading a PNG with %s yields to the event loop", async (_, changes, times) => {
  const spec: PngSpec = {
    ...{ width: SIDE, height: SIDE, colorType: 6, bitDepth: 8, level: 1 },
    samples: transparent,
    ...changes,
  };
  const png = encodePng(spec);
  const bytes = SIDE * SIDE * (spec.colorType === 6 ? 4 : 3);
  expect(await yieldsDuring(readPng(png, LIMITS))).toBeGreaterThan((times * bytes) / MAX_BYTES_BETWEEN_YIELDS);
});

test.each([false, true])(
  "reading a PNG with short scanlines yields to the event loop, interlaced: %s",
  async (interlaced) => {
    const png = encodePng({ width: 1, height: 20_000, colorType: 6, bitDepth: 8, interlaced, samples: transparent });
    expect(await yieldsDuring(readPng(png, LIMITS))).toBeGreaterThan(10);
  },
);
