import { afterEach, describe, expect, it } from "vitest";
import { groupOf } from "../../src/storage/keys.ts";
import { spool } from "../../src/storage/spool.ts";
import { isEqual, joined, noise } from "../support/bytes.ts";
import { bucket, emptyBucket, storedKeys } from "../support/storage.ts";

afterEach(emptyBucket);

/**
 * Yields test bytes whose values depend on their position, in pieces of `piece` bytes. The size of an upload part is
 * not a multiple of a piece's size.
 */
async function* pieces(length: number, piece = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += piece) yield noise(Math.min(piece, length - at), at);
}

describe("a spooled file", () => {
  it.each([0, 1, 8 << 20, (8 << 20) + 1, 20_000_000])(
    "a spooled file of %i bytes reads back unchanged",
    async (length) => {
      const file = await spool(bucket, pieces(length));
      expect(file.length).toBe(length);
      expect(await file.read(length, length)).toHaveLength(0);
      if (length === 0) return;
      expect(isEqual(await joined(file.stream(0, length)), noise(length))).toBe(true);
      const middle = Math.floor(length / 2);
      const second = noise(length - middle, middle);
      expect(isEqual(await file.read(middle, length), second)).toBe(true);
      expect(isEqual(await joined(file.stream(middle, length)), second)).toBe(true);
    },
  );

  it("the key of a spooled file begins with the hour of its creation, and the file can be deleted", async () => {
    const file = await spool(bucket, pieces(10));
    expect(await storedKeys()).toEqual([
      expect.stringMatching(new RegExp(`^spool/${groupOf(Date.now())}/[0-9a-f]{32}$`)),
    ]);
    await file.delete();
    expect(await storedKeys()).toEqual([]);
  });

  it("a reader of a spooled file can stop after the first piece", async () => {
    const file = await spool(bucket, pieces(10_000_000));
    for await (const piece of file.stream(0, file.length)) {
      expect(isEqual(piece, noise(piece.length))).toBe(true);
      break;
    }
  });
});

it("spool rethrows an error of the file's stream and leaves nothing stored", async () => {
  const failing = async function* () {
    yield* pieces(20_000_000);
    throw new Error("cut off");
  };
  await expect(spool(bucket, failing())).rejects.toThrow("cut off");
  expect(await storedKeys()).toEqual([]);
});
