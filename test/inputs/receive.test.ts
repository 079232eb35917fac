import { describe, expect, it } from "vitest";
import type { RangeReader } from "../../src/engine/index.ts";
import { receive } from "../../src/inputs/receive.ts";
import { noise } from "../support/bytes.ts";
import { limitsOf } from "../support/limits.ts";
import { readerBy } from "../support/ranges.ts";

/** Returns an empty array and limits. The `store` function of the limits appends each chunk of a file to the array. */
function storing() {
  const stored: Uint8Array[] = [];
  const store = async (chunks: AsyncIterable<Uint8Array>): Promise<RangeReader> => {
    for await (const chunk of chunks) stored.push(chunk.slice());
    const bytes = new Uint8Array(await new Blob(stored).arrayBuffer());
    return readerBy(bytes.length, async (start, end) => bytes.slice(start, end));
  };
  return { stored, limits: limitsOf({ inMemoryBytes: 100, store }) };
}

async function* chunks(length: number, chunk = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += chunk) yield noise(Math.min(chunk, length - at), at);
}

describe("receive", () => {
  it.each([0, 1, 7, 99, 100])("receive() keeps a file of %i bytes in memory for any announced size", async (length) => {
    for (const announced of [0, 1, length, 100]) {
      const { limits, stored } = storing();
      const received = await receive(chunks(length), limits, announced);
      expect(received.content).toEqual(noise(length));
      expect(await received.head(3)).toEqual(noise(length).subarray(0, 3));
      expect(stored).toEqual([]);
    }
  });

  it.each([101, 500, 1000])(
    "receive() stores a file of %i bytes, which exceeds the memory limit, for any announced size",
    async (length) => {
      for (const announced of [0, 1, 100, length, 1000]) {
        const { limits } = storing();
        const received = await receive(chunks(length), limits, announced);
        const content = received.content as RangeReader;
        expect(content.length).toBe(length);
        expect(await content.read(0, length)).toEqual(noise(length));
        expect(await received.head(3)).toEqual(noise(3));
      }
    },
  );

  it.each([0, 100, 1001, 5000])(
    "receive() rejects a file as soon as it exceeds the size limit, with %i bytes announced",
    async (announced) => {
      let read = 0;
      const endless = (async function* () {
        for (;;) {
          read += 50;
          yield new Uint8Array(50);
        }
      })();
      await expect(receive(endless, storing().limits, announced)).rejects.toMatchObject({
        code: "source_too_large",
      });
      expect(read).toBe(1050);
    },
  );
});
