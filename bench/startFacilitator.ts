import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { FORGED } from "./attacks.ts";

/** The milliseconds that a facilitator waits before each answer. */
export interface Delays {
  verifyMs: number;
  settleMs: number;
}

/**
 * A facilitator in a separate process, as in a deployment. The development facilitator would use the CPU of the Worker
 * that is measured.
 */
export interface Facilitator {
  url: string;
  /** Changes the latencies of later answers. */
  delay(delays: Delays): void;
  /** Returns the nonces of the payments that the facilitator has settled since the previous call. */
  settled(): Promise<string[]>;
  stop(): void;
}

/** Starts a facilitator that rejects forged payments and accepts all other payments. */
export async function startFacilitator(): Promise<Facilitator> {
  const child = fork(join(import.meta.dirname, "facilitator.ts"), [FORGED]);
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    delay: (delays) => void child.send(delays),
    async settled() {
      const answer = once(child, "message") as Promise<[string[]]>;
      child.send("settled");
      return (await answer)[0];
    },
    stop: () => child.disconnect(),
  };
}
