import type { Watch } from "../shared/chunks.ts";

/** How slowly a body may come. */
export interface Pace {
  /** A body may fall behind this rate by `graceMs` at most, however fast it was before. */
  bytesPerSecond: number;
  graceMs: number;
  /** The longest that a whole body may be waited for. */
  deadlineMs: number;
}

/**
 * How long a read is waited for at a stretch. What a stretch takes beyond that is the work of other calls of the isolate, in
 * whose midst no byte comes in.
 */
const STRETCH_MS = 100;

/**
 * Returns a watch over the reads of a body, which has to keep a pace: one that stops, or drips, is not waited for. Only
 * the time that its sender takes counts.
 * @param late creates the error of a read that takes too long
 */
export function pacing({ bytesPerSecond, graceMs, deadlineMs }: Pace, late: () => Error): Watch {
  let [creditMs, leftMs] = [graceMs, deadlineMs];
  return async (read) => {
    for (;;) {
      const stretchMs = Math.min(STRETCH_MS, creditMs, leftMs);
      const asked = Date.now();
      const answer = await inTime(read, stretchMs);
      const tookMs = answer ? Math.min(Date.now() - asked, stretchMs) : stretchMs;
      leftMs -= tookMs;
      creditMs = Math.min(graceMs, creditMs - tookMs + (1000 * (answer?.value?.length ?? 0)) / bytesPerSecond);
      if (answer) return answer;
      if (Math.min(creditMs, leftMs) <= 0) throw late();
    }
  };
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
