import type { Load } from "./drive.ts";

/** The date of the results, and the class of machine. */
interface Stamp {
  measured: string;
  machine: string;
}

/**
 * The measurements of an engine for a file. A value is null if the engine failed. Native programs have no memory value.
 */
export interface Marked {
  name: string;
  ms: number | null;
  /** Time after a thousand more runs. Null for native programs and for engines too slow for that. */
  laterMs: number | null;
  peakMb: number | null;
  addedBytes: number | null;
}

/** The results in `docs/performance/`, by the name of the file. */
export interface Results {
  engines: Stamp & { inputs: { title: string; bytes: number; engines: Marked[] }[] };
  pages: Stamp & {
    /** Files of the same pages of text, in increasing number. */
    files: { pages: number; bytes: number; engines: Marked[] }[];
    /** The bytes that a text adds to a file of one page, by its script and number of characters. */
    texts: { script: string; characters: number; addedBytes: number }[];
  };
  /**
   * CPU in milliseconds of a call to the running Worker, and of a Worker that stores the same body and copies it once.
   * The value of a Worker that marks with pdf-lib is null if it fails.
   */
  call: Stamp & {
    files: {
      input: string;
      bytes: number;
      callCpuMs: number;
      floorCpuMs: number;
      ratio: number;
      peerCpuMs: number | null;
    }[];
  };
  load: Stamp & {
    calls: number;
    levels: Load[];
    besideCalls: number;
    slow: { verifyMs: number; settleMs: number };
    beside: (Load & { name: string; answers: Record<string, Record<string, number>> })[];
  };
  soak: Stamp & {
    minutes: number;
    connections: number;
    /** Rounds with a call that gave no result. */
    failedRounds: number;
    /** `aliveMb` is the isolate's live memory after a garbage collection, `residentMb` the memory of workerd. */
    rounds: {
      calls: number;
      perSecond: number;
      p50Ms: number | null;
      p99Ms: number | null;
      aliveMb: number;
      residentMb: number;
    }[];
    /** Growth of these values per 1,000 calls, in MB. */
    aliveMbPer1000: number;
    residentMbPer1000: number;
  };
}
