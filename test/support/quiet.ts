/** What the runtime itself reports when a test hangs up on it, or lets an object die: expected, and no news. */
const EXPECTED = [
  "disconnected: reader canceled",
  "disconnected: pump canceled",
  "disconnected: read end of pipe was aborted",
  "disconnected: fixed-length pipe ended prematurely",
  "source = Uncaught (in promise); stack = Error: Network connection lost.", // within the runtime, of the latter
  "broken.outputGateBroken; jsg.Error: died",
  "Called .text() on an HTTP body which does not appear to be text",
];

/** Vitest's global setup: leaves those reports out of what the run prints, and the network alone. */
export function setup(): () => void {
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false"; // the runtime would ask where on Earth it is
  const streams = [process.stdout, process.stderr];
  const originals = streams.map((stream) => stream.write);
  for (const stream of streams) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = ((text: unknown, ...rest: unknown[]) =>
      EXPECTED.some((words) => String(text).includes(words)) || write(text, ...rest)) as typeof stream.write;
  }
  return () => {
    for (const [i, stream] of streams.entries()) stream.write = originals[i]!;
  };
}
