import type { Config } from "./config.ts";
import type { Room } from "./inputs/receive.ts";
import { spool } from "./storage/spool.ts";

/** Where the files of a request go, by the field that names them. */
export function roomsOf(env: Env, config: Config): { file: Room; image: Room } {
  const { maxLargeFiles, maxSourceBytes, maxImageBytes, spoolThresholdBytes } = config;
  const keep = (pieces: AsyncIterable<Uint8Array>) => spool(env.RESULTS, pieces);
  return {
    file: { maxBytes: maxSourceBytes, inMemoryBytes: spoolThresholdBytes, maxLargeFiles, keep },
    image: { maxBytes: maxImageBytes, inMemoryBytes: maxImageBytes, maxLargeFiles, keep },
  };
}
