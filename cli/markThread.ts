/** The script of a thread of `overprint mark --jobs`. */
import { parentPort } from "node:worker_threads";
import { runCleanups } from "./interrupt.ts";
import type { Job } from "./marking.ts";
import { type FromThread, runner } from "./markThreads.ts";

const run = runner(process);
const answer = (message: FromThread) => parentPort!.postMessage(message);

parentPort!.on("message", async (message: [at: number, job: Job] | "stop") => {
  if (message === "stop") {
    await runCleanups();
    return answer("stopped");
  }
  const [at, job] = message;
  answer({ at, outcome: await run(job) });
});
