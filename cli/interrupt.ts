/** What is put in order when the program is stopped from outside. */
const cleanups = new Set<() => unknown>();

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

let stopping = false;

/** Returns whether the program is being stopped. What fails then fails because of that. */
export function isStopping(): boolean {
  return stopping;
}

/** Has something done when the program is stopped; the function that it returns calls that off. */
export function whenStopped(cleanup: () => unknown): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** From now on signals end the program after what {@link whenStopped} was told, with the exit codes that shells give them. */
export function handleSignals(): void {
  for (const [signal, code] of Object.entries(EXIT_CODES))
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      await Promise.allSettled([...cleanups].map(async (cleanup) => cleanup()));
      process.exit(code);
    });
}
