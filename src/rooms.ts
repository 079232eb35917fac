import type { Config } from "./config.ts";
import type { Room } from "./inputs/receive.ts";
import { spool, spoolWhole } from "./storage/spool.ts";

/** Where the files of a request go, by the field that names them. */
export function roomsOf(env: Env, config: Config): { file: Room; image: Room } {
  const { maxLargeFiles, maxSourceBytes, maxImageBytes, spoolThresholdBytes } = config;
  const kept = {
    maxLargeFiles,
    keep: (pieces: AsyncIterable<Uint8Array>) => spool(env.RESULTS, pieces),
    keepWhole: (stream: ReadableStream<Uint8Array>, length: number) => spoolWhole(env.RESULTS, stream, length),
  };
  return {
    file: { maxBytes: maxSourceBytes, inMemoryBytes: spoolThresholdBytes, ...kept },
    image: { maxBytes: maxImageBytes, inMemoryBytes: maxImageBytes, ...kept },
  };
}
