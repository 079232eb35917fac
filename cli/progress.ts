import type { Io } from "./io.ts";

/**
 * Minimum number of bytes for which a progress bar is shown. Smaller amounts finish before anyone could read the bar.
 */
const LARGE_BYTES = 16e6;
const WIDTH = 30;
/** Interval between two redraws of the progress bar. */
const EVERY_MS = 100;

/** A progress bar on the terminal. */
export interface Progress {
  /** Advances the bar. */
  add(bytes: number): void;
  /** Removes the bar. */
  end(): void;
}

/** Shows a progress bar on stderr if stderr is a terminal and the amount is large. */
export function showProgress(label: string, total: number, { stderr }: Io): Progress {
  if (!stderr.isTTY || total < LARGE_BYTES) return { add() {}, end() {} };

  let done = 0;
  let drawnAt = 0;
  const draw = () => {
    const share = Math.min(1, done / total);
    const full = Math.floor(share * WIDTH);
    const bar = "#".repeat(full) + "-".repeat(WIDTH - full);
    const megabytes = `${Math.round(done / 1e6)} of ${Math.round(total / 1e6)} MB`;
    stderr.write(`\r\x1b[2K${label} [${bar}] ${Math.floor(100 * share)} %, ${megabytes}`);
  };
  draw();
  return {
    add(bytes) {
      done += bytes;
      if (Date.now() - drawnAt < EVERY_MS) return;
      drawnAt = Date.now();
      draw();
    },
    end: () => stderr.write("\r\x1b[2K"),
  };
}
