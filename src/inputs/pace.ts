import type { Watch } from "../chunks.ts";

/** How slowly a body may come. */
export interface Pace {
  /** A body may fall behind this rate by `graceMs` at most, however fast it was before. */
  bytesPerSecond: number;
  graceMs: number;
  /** The longest that a whole body may be waited for. */
  deadlineMs: number;
}

/**
 * Returns a watch over the reads of a body, which has to keep a pace: one that stops, or drips, is not waited for. Only
 * the time that its sender takes counts.
 * @param late creates the error of a read that takes too long
 */
export function pacing({ bytesPerSecond, graceMs, deadlineMs }: Pace, late: () => Error): Watch {
  let [creditMs, leftMs] = [graceMs, deadlineMs];
  return async (read) => {
    const asked = Date.now();
    const answer = await inTime(read, Math.min(creditMs, leftMs));
    if (!answer) throw late();
    const tookMs = Date.now() - asked;
    leftMs -= tookMs;
    creditMs = Math.min(graceMs, creditMs - tookMs + (1000 * (answer.value?.length ?? 0)) / bytesPerSecond);
    return answer;
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
