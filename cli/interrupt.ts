/** Functions that the program calls when a signal stops it. */
const cleanups = new Set<() => unknown>();

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

let stopping = false;

/** Returns whether a signal is stopping the program. Callers then ignore errors, because the stop causes them. */
export function isStopping(): boolean {
  return stopping;
}

/** Registers a function that runs if a signal stops the program. Returns a function that unregisters it. */
export function whenStopped(cleanup: () => unknown): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** Runs the registered functions when a signal stops the program. */
export async function runCleanups(): Promise<void> {
  stopping = true;
  await Promise.allSettled([...cleanups].map(async (cleanup) => cleanup()));
}

/** Makes signals end the program after the registered cleanups, with the exit codes that shells use. */
export function handleSignals(): void {
  for (const [signal, code] of Object.entries(EXIT_CODES))
    process.on(signal, async () => {
      if (stopping) return;
      await runCleanups();
      process.exit(code);
    });
}
