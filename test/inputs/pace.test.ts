import { expect, test } from "vitest";
import { readBody } from "../../src/inputs/body.ts";

const KB64 = 65_536;
const pace = { bytesPerSecond: 10 * KB64, graceMs: 200, deadlineMs: 60_000 };

/**
 * Returns a body that sends `chunks` chunks, one every `ms` milliseconds. If `ends` is false, the body stalls after the
 * last chunk.
 */
function body(chunks: number, ms: number, ends: boolean, bytes = KB64) {
  const state = { canceled: false };
  let sent = 0;
  const stream = new ReadableStream({
    type: "bytes",
    async pull(controller: ReadableByteStreamController) {
      await scheduler.wait(ms);
      if (sent++ < chunks) controller.enqueue(new Uint8Array(bytes));
      else if (ends) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else await new Promise(() => {});
    },
    cancel() {
      state.canceled = true;
    },
  });
  return { stream, state };
}

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of chunks) length += chunk.length;
  return length;
}

test("readBody reads the whole body if the sender maintains the minimum rate", async () => {
  expect(await lengthOf(readBody(body(50, 0, true).stream, { pace, maxBytes: 1e9 }))).toBe(50 * KB64);
});

test("readBody reuses a few buffers while it reads a long body", async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBody(body(50, 0, true).stream, { pace, maxBytes: 1e9 })) chunks.push(chunk);
  expect(chunks.filter(({ length }) => length > 0).length).toBeLessThan(5);
});

test("readBody reads a fast body in longer chunks than a slow body if memory is available", async () => {
  const longest = async (ms: number, hasRoom?: (bytes: number) => boolean) => {
    let most = 0;
    const { stream } = body(20, ms, true);
    for await (const { length } of readBody(stream, { pace, maxBytes: 1e9 }, {}, hasRoom))
      most = Math.max(most, length);
    return most;
  };
  let taken = 0;
  const room = (bytes: number) => {
    taken += bytes;
    return true;
  };
  expect([await longest(0, room), taken]).toEqual([4 * KB64, 4 * KB64]);
  expect([await longest(0), await longest(0, () => false), await longest(60, room), taken]).toEqual([
    KB64,
    KB64,
    KB64,
    4 * KB64,
  ]);
});

test.each([
  ["never begins", body(0, 0, false), pace],
  ["stalls half way after a fast start", body(100, 0, false), { ...pace, bytesPerSecond: KB64 / 100 }],
  ["drips", body(1000, 250, true), pace],
  ["takes longer than the deadline", body(1e6, 20, true), { ...pace, bytesPerSecond: 1, deadlineMs: 300 }],
])("readBody rejects with 408 and cancels a body that %s", async (_, { stream, state }, slow) => {
  await expect(lengthOf(readBody(stream, { pace: slow, maxBytes: 1e9 }))).rejects.toMatchObject({
    code: "body_timeout",
    status: 408,
  });
  expect(state.canceled).toBe(true);
});

test("time during which the isolate is busy does not count against a body's minimum rate", async () => {
  const state = { isOver: false };
  const busy = (async () => {
    while (!state.isOver) {
      for (const ends = Date.now() + 250; Date.now() < ends; );
      await scheduler.wait(0); // lets the body send its next chunk
    }
  })();
  const { stream } = body(10, 0, true, 8192);
  const read = lengthOf(readBody(stream, { pace: { ...pace, bytesPerSecond: 1e9, graceMs: 1500 }, maxBytes: 1e9 }));
  await expect(read.finally(() => (state.isOver = true))).resolves.toBe(10 * 8192);
  await busy;
});

test("readBody rejects a body over the size limit with 413 and leaves its rest readable", async () => {
  const { stream, state } = body(100, 0, true);
  await expect(lengthOf(readBody(stream, { pace, maxBytes: 3 * KB64 }))).rejects.toMatchObject({ status: 413 });
  expect([stream.locked, state.canceled]).toEqual([false, false]);
});
