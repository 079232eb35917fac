import { describe, expect, it } from "vitest";
import { type Room, receive } from "../../src/inputs/receive.ts";
import { Turn } from "../../src/inputs/turn.ts";
import type { Stored } from "../../src/stored.ts";
import { noise } from "../support/bytes.ts";

/** Keeps what it is given, and says what became of it. */
function keeper() {
  const kept: Uint8Array[] = [];
  let deleted = 0;
  const keep = async (pieces: AsyncIterable<Uint8Array>): Promise<Stored> => {
    for await (const piece of pieces) kept.push(piece.slice());
    const bytes = new Uint8Array(await new Blob(kept).arrayBuffer());
    return {
      length: bytes.length,
      read: async (start, end) => bytes.slice(start, end),
      async *stream(start, end) {
        yield bytes.slice(start, end);
      },
      delete: async () => void deleted++,
    };
  };
  return { kept, keep, deleted: () => deleted };
}

const roomOf = (keep: Room["keep"], more: Partial<Room> = {}): Room => ({
  maxBytes: 1000,
  inMemoryBytes: 100,
  turn: new Turn(1, 60_000),
  keep,
  keepWhole: (stream) => keep(stream),
  ...more,
});

async function* pieces(length: number, piece = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += piece) yield noise(Math.min(piece, length - at), at);
}

describe("a file", () => {
  it.each([0, 1, 7, 99, 100])("of %i bytes stays in memory, whatever was announced", async (length) => {
    for (const announced of [0, 1, length, 100]) {
      const { keep, kept } = keeper();
      const received = await receive(pieces(length), roomOf(keep), announced);
      expect(received.content).toEqual(noise(length));
      expect(await received.head(3)).toEqual(noise(length).subarray(0, 3));
      expect(kept).toEqual([]);
    }
  });

  it.each([101, 500, 1000])("of %i bytes is kept elsewhere, whatever was announced", async (length) => {
    for (const announced of [0, 1, 100, length, 1000]) {
      const { keep, deleted } = keeper();
      const received = await receive(pieces(length), roomOf(keep), announced);
      const content = received.content as Stored;
      expect(content.length).toBe(length);
      expect(await content.read(0, length)).toEqual(noise(length));
      expect(await received.head(3)).toEqual(noise(3));
      await received.release();
      expect(deleted()).toBe(1);
    }
  });

  it.each([0, 100, 1001, 5000])("over the limit is refused as soon as it is, with %i announced", async (announced) => {
    let read = 0;
    const endless = (async function* () {
      for (;;) {
        read += 50;
        yield new Uint8Array(50);
      }
    })();
    await expect(receive(endless, roomOf(keeper().keep), announced)).rejects.toMatchObject({
      code: "source_too_large",
    });
    expect(read).toBe(1050);
  });
});
