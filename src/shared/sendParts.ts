/** Sends the parts of an upload, for the CLI and the upload page. */

/** Maximum number of attempts to send one request. */
const ATTEMPTS = 6;
/** Longest wait that the service may request before the next attempt, in seconds. */
const LONGEST_WAIT_SECONDS = 60;
/** Statuses of temporary failures. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

/** The part of a file from the byte `start` up to the byte `end`. */
export interface PartRange {
  /** Number of the part, from 1. */
  number: number;
  start: number;
  end: number;
}

/** Returns the parts of a file of `size` bytes. */
export function partRanges(size: number, partBytes: number): PartRange[] {
  return Array.from({ length: Math.ceil(size / partBytes) }, (_, at) => ({
    number: at + 1,
    start: at * partBytes,
    end: Math.min(size, (at + 1) * partBytes),
  }));
}

/**
 * Sends parts one after another, then completes the upload. Repeats a request if the connection breaks or the failure is
 * temporary.
 * @param send sends one part
 * @returns the answer to the completion, or the first answer that refuses a part
 * @throws Error the last error of `send` or `complete`, if every attempt fails
 */
export async function sendParts(
  ranges: readonly PartRange[],
  { send, complete }: { send(range: PartRange): Promise<Response>; complete(): Promise<Response> },
): Promise<Response> {
  for (const range of ranges) {
    const answer = await insist(() => send(range));
    const isStored = answer.ok || answer.status === 409; // the service has stored the part, but its answer was lost
    if (!isStored) return answer;
    await answer.body?.cancel();
  }
  return insist(complete);
}

async function insist(attempt: () => Promise<Response>): Promise<Response> {
  for (let left = ATTEMPTS - 1, seconds = 1; ; left--, seconds *= 2) {
    let waitSeconds = seconds;
    try {
      const answer = await attempt();
      if (!TEMPORARY.has(answer.status) || left === 0) return answer;
      waitSeconds = Math.max(seconds, Number(answer.headers.get("Retry-After")));
      if (waitSeconds > LONGEST_WAIT_SECONDS) return answer;
      await answer.body?.cancel();
    } catch (error) {
      if (left === 0) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * waitSeconds));
  }
}
