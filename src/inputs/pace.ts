import { Problem } from "../problems.ts";

/** How slowly a body may come. */
export interface Pace {
  /** A body may fall behind this rate by `graceMs` at most. */
  bytesPerSecond: number;
  graceMs: number;
  /** The longest that a whole body may be waited for. */
  deadlineMs: number;
}

/**
 * Reads a body that has to keep a pace: one that stops, or drips, gives back the memory it holds.
 * @throws Problem body_timeout
 */
export async function* paced(
  body: ReadableStream<Uint8Array>,
  { bytesPerSecond, graceMs, deadlineMs }: Pace,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = body.getReader();
  let [length, waitedMs] = [0, 0]; // for the sender: what we take for ourselves does not count
  try {
    for (;;) {
      const due = Math.min(deadlineMs, graceMs + (1000 * length) / bytesPerSecond) - waitedMs;
      const asked = Date.now();
      const read = await inTime(reader.read(), due);
      if (!read) throw tooSlow();
      if (read.done) return;
      waitedMs += Date.now() - asked;
      length += read.value.length;
      yield read.value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Resolves to undefined if the answer is not there after `ms`. */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  answer.catch(() => undefined);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function tooSlow(): Problem {
  return new Problem(
    "body_timeout",
    "The body came too slowly. Nothing was charged; send it again with the same payment, or a URL as `file` instead.",
  );
}
