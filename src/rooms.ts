import type { Config } from "./config.ts";
import type { Room } from "./inputs/receive.ts";
import { Turn } from "./inputs/turn.ts";
import { spool, spoolWhole } from "./storage/spool.ts";

/** Where the files of one call go, by the field that names them; and its turn, which has to be ended. */
export interface Rooms {
  file: Room;
  image: Room;
  turn: Turn;
}

/** The rooms of a new call. */
export function roomsOf(env: Env, config: Config): Rooms {
  const { maxLargeFiles, workSeconds, maxSourceBytes, maxImageBytes, spoolThresholdBytes } = config;
  const turn = new Turn(maxLargeFiles, workSeconds * 1000);
  const kept = {
    turn,
    keep: (pieces: AsyncIterable<Uint8Array>) => spool(env.RESULTS, pieces),
    keepWhole: (stream: ReadableStream<Uint8Array>, length: number) => spoolWhole(env.RESULTS, stream, length),
  };
  return {
    file: { maxBytes: maxSourceBytes, inMemoryBytes: spoolThresholdBytes, ...kept },
    image: { maxBytes: maxImageBytes, inMemoryBytes: maxImageBytes, ...kept },
    turn,
  };
}
