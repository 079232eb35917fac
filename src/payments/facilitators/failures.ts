/** Time for which a failure is remembered, in milliseconds. */
const REMEMBERED_MS = 3_600_000;
/** Maximum number of remembered failures. */
const MAX_FAILURES = 32;

type Call = "verify" | "settle";

/** A facilitator's failure to give a verdict on a payment. */
interface Failure {
  call: Call;
  /** HTTP status of the answer; undefined if the facilitator did not answer. */
  status: number | undefined;
  /** Whether the facilitator rejected the request. A verdict on another payment does not disprove a rejection. */
  isRejection: boolean;
  /** Time of the failure, in Unix milliseconds. */
  at: number;
}

/**
 * The last failure of each facilitator and call, by the facilitator's URL and the call. Each isolate has its own map.
 */
const lastFailures = new Map<string, Failure>();

/** Remembers that a facilitator gave no verdict. */
export function noteFailure(url: string, failure: Failure): void {
  const key = keyOf(url, failure.call);
  lastFailures.delete(key);
  if (lastFailures.size === MAX_FAILURES) lastFailures.delete(lastFailures.keys().next().value!);
  lastFailures.set(key, failure);
}

/**
 * Forgets the last failure of a facilitator at `call`, because the facilitator has now given a verdict in this call.
 * Does not forget a rejection, because the verdict may be on another payment.
 */
export function noteVerdict(url: string, call: Call): void {
  const key = keyOf(url, call);
  if (lastFailures.get(key)?.isRejection === false) lastFailures.delete(key);
}

/** Returns a facilitator's recent failures, at most one for each call. `now` is in Unix milliseconds. */
export function recentFailures(url: string, now: number): Failure[] {
  return (["verify", "settle"] as const).flatMap((call) => {
    const last = lastFailures.get(keyOf(url, call));
    return last && now < last.at + REMEMBERED_MS ? last : [];
  });
}

function keyOf(url: string, call: Call): string {
  return `${call} ${url}`;
}
