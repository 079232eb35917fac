import type { Io } from "./io.ts";

/** Less than this is done before anybody has read a bar. */
const LARGE_BYTES = 16e6;
const WIDTH = 30;
/** How often it is drawn anew. */
const EVERY_MS = 100;

/** A bar on the terminal. */
export interface Progress {
  /** Moves it on by so many bytes. */
  add(bytes: number): void;
  /** Takes it away. */
  end(): void;
}

/** Shows on stderr how much of a large amount of bytes has been done, if that is a terminal. */
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
