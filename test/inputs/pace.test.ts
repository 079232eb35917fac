import { expect, test } from "vitest";
import { paced } from "../../src/inputs/pace.ts";

const pace = { bytesPerSecond: 1000, graceMs: 100, deadlineMs: 60_000 };

/** A body of chunks of 100 bytes, one every `ms`; without an end it is stuck after the last. */
function body(chunks: number, ms: number, ends: boolean) {
  const state = { cancelled: false };
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await scheduler.wait(ms);
        if (sent++ < chunks) controller.enqueue(new Uint8Array(100));
        else if (ends) controller.close();
        else await new Promise(() => {});
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of chunks) length += chunk.length;
  return length;
}

test("a body that keeps the pace comes whole", async () => {
  expect(await lengthOf(paced(body(50, 0, true).stream, pace))).toBe(5000);
});

test.each([
  ["never begins", body(0, 0, false), pace],
  ["stops half way", body(3, 0, false), pace],
  ["drips", body(1000, 250, true), pace],
  ["takes longer than the deadline", body(1e6, 20, true), { ...pace, bytesPerSecond: 1, deadlineMs: 300 }],
])("one that %s is a 408, and is let go", async (_, { stream, state }, slow) => {
  await expect(lengthOf(paced(stream, slow))).rejects.toMatchObject({ code: "body_timeout", status: 408 });
  expect(state.cancelled).toBe(true);
});
