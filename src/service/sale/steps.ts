/**
 * The steps of a paid call. The measured duration of each step appears in the log line, in the `Server-Timing` header
 * and in the runtime's traces.
 */
import { tracing } from "cloudflare:workers";
import type { RequestFacts } from "../../shared/logLines.ts";

/**
 * The steps of a call:
 *
 * - `receive`: receives the request's body and the files that it names
 * - `verify`: waits for a facilitator to verify the payment
 * - `plan`: plans the output, which determines every byte
 * - `write`: streams the output to storage
 * - `store`: waits until storage confirms the output
 * - `settle`: waits for the ledger, which settles through a facilitator
 */
export const STEPS = ["receive", "verify", "plan", "write", "store", "settle"] as const;
/** A step of a paid call, see {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/**
 * Runs a step of a call and adds its duration in milliseconds to the facts of the request. Traces show the step's name.
 */
export function step<T>(name: Step, facts: RequestFacts, act: () => Promise<T>): Promise<T> {
  return tracing.enterSpan(name, async () => {
    const began = Date.now();
    try {
      return await act();
    } finally {
      facts[`${name}_ms`] = (facts[`${name}_ms`] ?? 0) + Date.now() - began;
    }
  });
}

/** Returns the finished steps of a request and their durations as a `Server-Timing` header. */
export function serverTiming(facts: RequestFacts): string {
  const taken = STEPS.filter((name) => facts[`${name}_ms`] !== undefined);
  return taken.map((name) => `${name};dur=${facts[`${name}_ms`]}`).join(", ");
}
