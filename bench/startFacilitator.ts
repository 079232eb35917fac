import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { FORGED } from "./attacks.ts";

/** How long a facilitator thinks before it answers. */
export interface Delays {
  verifyMs: number;
  settleMs: number;
}

/** A facilitator in a process of its own, as in a deployment: that of development verifies signatures in the Worker's time. */
export interface Facilitator {
  url: string;
  /** Has it take its time from now on. */
  delay(delays: Delays): void;
  /** Returns the nonces of the payments that it has settled since it was last asked. */
  settled(): Promise<string[]>;
  stop(): void;
}

/** Starts a facilitator that takes every payment but forged ones. */
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
