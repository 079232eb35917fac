import type { Watch } from "../shared/chunks.ts";

/** The minimum speed of a body, and the time limit for receiving it. */
export interface Pace {
  /** Minimum average rate. The body may fall at most `graceMs` behind this rate, even after a fast start. */
  bytesPerSecond: number;
  graceMs: number;
  /** Maximum total time spent waiting for a body. */
  deadlineMs: number;
}

/**
 * Maximum length of one wait for a read, in milliseconds. A longer wait means that other calls of the isolate used the
 * CPU and no bytes could arrive. The excess is not counted against the sender.
 */
const WAIT_MS = 100;

/**
 * Returns a watch for the reads of a body. A read fails when the body stalls or falls below the minimum rate. Only the
 * time spent waiting for the sender counts.
 * @param late creates the error of a read that takes too long
 */
export function pacing({ bytesPerSecond, graceMs, deadlineMs }: Pace, late: () => Error): Watch {
  let [creditMs, leftMs] = [graceMs, deadlineMs];
  return async (read) => {
    for (;;) {
      const waitMs = Math.min(WAIT_MS, creditMs, leftMs);
      const asked = Date.now();
      const answer = await within(read, waitMs);
      const tookMs = answer ? Math.min(Date.now() - asked, waitMs) : waitMs;
      leftMs -= tookMs;
      creditMs = Math.min(graceMs, creditMs - tookMs + (1000 * (answer?.value?.length ?? 0)) / bytesPerSecond);
      if (answer) return answer;
      if (Math.min(creditMs, leftMs) <= 0) throw late();
    }
  };
}

/** Returns the value of `answer`, or undefined if `answer` takes longer than `ms` milliseconds. */
async function within<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  answer.catch(() => undefined);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
