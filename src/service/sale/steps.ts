/** The steps of a paid call, each measured once: for its log line, its answer's header and the runtime's traces. */
import { tracing } from "cloudflare:workers";
import type { RequestFacts } from "../../shared/log.ts";

/**
 * - `receive`: the request's body, and the files that it names
 * - `verify`: waiting for a facilitator's verdict
 * - `plan`: of the output, every byte of which is determined then
 * - `write`: the output, on its way to storage
 * - `store`: until storage has it, from its last byte on
 * - `settle`: by the ledger, which has a facilitator do it
 */
export const STEPS = ["receive", "verify", "plan", "write", "store", "settle"] as const;
/** One of {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/** Does a step of a call. Adds the milliseconds that it takes to what is known of the request; traces show it by its name. */
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

/** Returns the steps that a request has gone through, and how long each took, as the header `Server-Timing` has them. */
export function serverTiming(facts: RequestFacts): string {
  const taken = STEPS.filter((name) => facts[`${name}_ms`] !== undefined);
  return taken.map((name) => `${name};dur=${facts[`${name}_ms`]}`).join(", ");
}
