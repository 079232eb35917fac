/** Time for which a rejection is remembered, in milliseconds. */
const REMEMBERED_MS = 3_600_000;
/** Maximum number of facilitators whose rejections are remembered. */
const MAX_FACILITATORS = 16;

/** A facilitator's latest 4xx answer that contains no verdict on the payment. */
interface Rejection {
  call: "verify" | "settle";
  /** HTTP status of the answer. */
  status: number;
  /** Time of the rejection, in Unix milliseconds. */
  at: number;
}

/** The last rejection of each facilitator, by the facilitator's URL. Isolates do not share this list. */
const lastRejections = new Map<string, Rejection>();

/** Remembers that a facilitator has rejected a request. */
export function noteRejection(url: string, rejection: Rejection): void {
  lastRejections.delete(url);
  if (lastRejections.size === MAX_FACILITATORS) lastRejections.delete(lastRejections.keys().next().value!);
  lastRejections.set(url, rejection);
}

/** Returns a facilitator's last rejection, if it is recent. `now` is in Unix milliseconds. */
export function recentRejection(url: string, now: number): Rejection | undefined {
  const last = lastRejections.get(url);
  return last && now < last.at + REMEMBERED_MS ? last : undefined;
}
