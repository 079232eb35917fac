import { afterEach, expect, test, vi } from "vitest";
import { storeWritten, writeAll } from "../../src/storage/put.ts";

/** Tests what happens if a bucket or a writer fails while a file is stored. */

afterEach(() => vi.useRealTimers());

const MB = 1_000_000;
async function* chunks(count: number) {
  for (let i = 0; i < count; i++) yield new Uint8Array(MB);
}

test("storing a file fails with the bucket's error if the bucket fails and keeps the stream locked", async () => {
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

test("storing a file fails with the writer's error instead of the error that it causes in the bucket", async () => {
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
      throw new Error("the stream ended without the error of the writer");
    },
  );
  await expect(stored).rejects.toThrow("broken source");
});

test.each([
  ["accepts no more data", 1],
  ["has all data", 6],
])("storing a file fails after half a minute if the bucket %s and never answers", async (_, count) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stored = storeWritten(
    6 * MB,
    (stream) => writeAll(chunks(6), stream),
    async (stream) => {
      const reader = stream.getReader();
      for (let read = 0; read < count * MB; ) read += (await reader.read()).value!.length;
      return new Promise<never>(() => undefined);
    },
  );
  const failed = expect(stored).rejects.toThrow("The bucket accepts no data and does not answer.");
  await vi.advanceTimersByTimeAsync(29_000);
  await vi.advanceTimersByTimeAsync(3000);
  await failed;
});
