/** Sends the parts of an upload, for the client and the upload page. */

import type { PartRange } from "./partRanges.ts";

/** Maximum number of attempts to send one request. */
const ATTEMPTS = 6;
/** Longest wait that the service may request before the next attempt, in seconds. */
const LONGEST_WAIT_SECONDS = 60;
/** Statuses of temporary failures. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

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
    // Status 409 means that the part is already stored. Mostly, an earlier attempt stored it, and its answer was lost.
    const isStored = answer.ok || answer.status === 409;
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
