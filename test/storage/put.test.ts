import { expect, test } from "vitest";
import { storeWritten, writeAll } from "../../src/storage/put.ts";

/** Tests what happens if a bucket or a writer fails while a file is stored. */

const MB = 1_000_000;
async function* chunks(count: number) {
  for (let i = 0; i < count; i++) yield new Uint8Array(MB);
}

test("a bucket that fails and keeps the stream locked ends the write with the bucket's error", async () => {
  const stored = storeWritten(
    6 * MB,
    (stream) => writeAll(chunks(6), stream),
    async (stream) => {
      await stream.getReader().read();
      throw new Error("no space left");
    },
  );
  await expect(stored).rejects.toThrow("no space left");
});

test("an error of the writer comes before the error that it causes in the bucket", async () => {
  const stored = storeWritten(
    6 * MB,
    async (stream) => {
      const writer = stream.getWriter();
      await writer.write(new Uint8Array(MB));
      await writer.abort(new Error("broken source"));
      throw new Error("broken source");
    },
    async (stream) => {
      for await (const chunk of stream) void chunk;
      throw new Error("the bucket does not fail by itself");
    },
  );
  await expect(stored).rejects.toThrow("broken source");
});
