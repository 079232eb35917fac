/** Messages to hide. The runtime prints them when a test disconnects or makes a Durable Object fail. */
const EXPECTED = [
  "disconnected: reader canceled",
  "disconnected: pump canceled",
  "disconnected: read end of pipe was aborted",
  "disconnected: fixed-length pipe ended prematurely",
  // The runtime reports the same failure a second time in these words.
  "source = Uncaught (in promise); stack = Error: Network connection lost.",
  "broken.outputGateBroken; jsg.Error: died",
  "Called .text() on an HTTP body which does not appear to be text",
];

/**
 * As Vitest's global setup, hides the expected messages of the runtime and prevents one of its network requests.
 * Returns a function that undoes this.
 */
export function setup(): () => void {
  // Otherwise, the runtime would request its location from a Cloudflare server.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
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
