import type { Load } from "./drive.ts";

/** When results were measured, and on what class of machine. */
interface Stamp {
  measured: string;
  machine: string;
}

/** What an engine took for a file; null where it failed, and for the memory of native programs. */
export interface Marked {
  name: string;
  ms: number | null;
  /** After a thousand runs more; null for native programs, and for what takes too long for so many. */
  laterMs: number | null;
  peakMb: number | null;
  addedBytes: number | null;
}

/** The results that `docs/performance/` keeps, by the name of the file. */
export interface Results {
  engines: Stamp & { inputs: { title: string; bytes: number; engines: Marked[] }[] };
  pages: Stamp & {
    /** Each with the same pages of text, ever more of them. */
    files: { pages: number; bytes: number; engines: Marked[] }[];
    /** The bytes that a text adds to a file of one page, by its script and how many characters it has. */
    texts: { script: string; characters: number; addedBytes: number }[];
  };
  /**
   * A call of the running Worker, and of one that stores the same body and copies it once, in milliseconds of CPU; the same of
   * a Worker that marks with pdf-lib, null where that fails.
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
    /** Rounds in which not every call gave a result. */
    failedRounds: number;
    /** `aliveMb` is what the isolate keeps once V8 has collected what it can, `residentMb` all of workerd. */
    rounds: {
      calls: number;
      perSecond: number;
      p50Ms: number | null;
      p99Ms: number | null;
      aliveMb: number;
      residentMb: number;
    }[];
    /** By how many MB these grow with 1,000 calls. */
    aliveMbPer1000: number;
    residentMbPer1000: number;
  };
}
