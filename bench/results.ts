import type { Load } from "./drive.ts";

/** The date and the machine of a measurement. */
interface Stamp {
  measured: string;
  machine: string;
}

/**
 * The measurements of an engine for a file. A value is null if the engine failed. Memory is also null for native
 * programs.
 */
export interface Marked {
  name: string;
  ms: number | null;
  /**
   * Time of a run after a thousand earlier runs. Null for native programs, and for engines that are too slow for a
   * thousand runs.
   */
  laterMs: number | null;
  peakMb: number | null;
  addedBytes: number | null;
}

/** The contents of the files in `docs/performance/`, by file name. */
export interface Results {
  engines: Stamp & { inputs: { title: string; bytes: number; engines: Marked[] }[] };
  pages: Stamp & {
    /** Files of one kind with an increasing number of pages. */
    files: { pages: number; bytes: number; engines: Marked[] }[];
    /** The bytes that each text adds to a file of one page. */
    texts: { script: string; characters: number; addedBytes: number }[];
  };
  /**
   * Milliseconds of CPU for a call to each of three Workers: the service's Worker, a Worker that stores the same body
   * and copies it once, and a Worker that marks with pdf-lib. The last value is null if pdf-lib fails.
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
  /**
   * Medians in milliseconds for a call with simulated latencies of the edge: the whole duration, the part that the
   * latencies add, and the latency of the steps that the call must wait for.
   */
  latency: Stamp & {
    delays: Record<string, number>;
    rounds: number;
    calls: { name: string; waitMs: number; takesMs: number; addsMs: number }[];
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
    /** Number of rounds in which at least one call gave no result. */
    failedRounds: number;
    /**
     * Measurements after each round. `aliveMb` is the isolate's live memory after a garbage collection, and
     * `residentMb` is the memory of workerd.
     */
    rounds: {
      calls: number;
      perSecond: number;
      p50Ms: number | null;
      p99Ms: number | null;
      aliveMb: number;
      residentMb: number;
    }[];
    /** Growth of `aliveMb` and `residentMb` per 1,000 calls. */
    aliveMbPer1000: number;
    residentMbPer1000: number;
  };
}
