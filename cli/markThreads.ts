/** Marks files one after the other, or several at the same time in threads. */
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { failureOf } from "./failure.ts";
import { isStopping, whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { type Job, type Marked, markFile, type Planner, plannerOf } from "./marking.ts";

/** The result of a job. */
export type Outcome = Marked | { error: { code: string; message: string } };

/** Message from a thread. The message `stopped` follows when the thread has deleted its incomplete files. */
export type FromThread = { at: number; outcome: Outcome } | "stopped";

/** Path of the script that threads run: TypeScript in a clone, and compiled in the package. */
const SCRIPT = join(import.meta.dirname, `markThread${extname(import.meta.filename)}`);

/**
 * Marks files. A job that fails does not stop the others.
 * @param count number of files to mark at the same time
 * @param finished called after each job, with the job's index
 */
export async function markAll(
  jobs: readonly Job[],
  count: number,
  io: Io,
  finished: (at: number, outcome: Outcome) => void,
): Promise<void> {
  if (count > 1 && jobs.length > 1) return inThreads(jobs, Math.min(count, jobs.length), finished);
  const run = runner(io);
  for (const [at, job] of jobs.entries()) {
    const outcome = await run(job);
    if (!isStopping()) finished(at, outcome);
  }
}

/** Returns a function that runs jobs. It reuses the planner of the last job if the options are the same. */
export function runner(io: Io): (job: Job) => Promise<Outcome> {
  let last: { options: string; planner: Promise<Planner> } | undefined;
  return async (job) => {
    const options = JSON.stringify(job.options);
    if (last?.options !== options) last = { options, planner: plannerOf(job.options) };
    try {
      return await markFile(job, await last.planner, io);
    } catch (error) {
      const { code, message } = failureOf(error);
      return { error: { code, message } };
    }
  };
}

async function inThreads(
  jobs: readonly Job[],
  count: number,
  finished: (at: number, outcome: Outcome) => void,
): Promise<void> {
  const waiting = Array.from(jobs.entries());
  const threads = Array.from({ length: count }, () => new Worker(SCRIPT));
  const forget = whenStopped(() => Promise.all(threads.map(stop)));
  try {
    await Promise.all(
      threads.map(
        (thread) =>
          new Promise<void>((resolve, reject) => {
            const next = () => {
              const entry = waiting.shift();
              if (entry) thread.postMessage(entry);
              else resolve();
            };
            thread.on("error", reject);
            thread.on("message", (message: FromThread) => {
              if (message === "stopped" || isStopping()) return;
              finished(message.at, message.outcome);
              next();
            });
            next();
          }),
      ),
    );
  } finally {
    forget();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

/** Makes a thread delete its incomplete files. */
function stop(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    thread.on("message", (message: FromThread) => message === "stopped" && resolve());
    thread.on("exit", () => resolve());
    thread.postMessage("stop");
  });
}
