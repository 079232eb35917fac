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
  load: Stamp & {
    calls: number;
    levels: Load[];
    besideCalls: number;
    slow: { verifyMs: number; settleMs: number };
    beside: (Load & { name: string; told: Record<string, Record<string, number>> })[];
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
      p50Ms: number;
      p99Ms: number;
      aliveMb: number;
      residentMb: number;
    }[];
    /** By how many MB these grow with 1,000 calls. */
    aliveMbPer1000: number;
    residentMbPer1000: number;
  };
}

/** Returns counts as "2 x this, 1 x that". */
export const counted = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, times]) => `${times} x ${name}`)
    .join(", ") || "-";

/** The columns of {@link loadCells}. */
export const loadHead = [
  "a second",
  "p50, ms",
  "p99, ms",
  "told to come back",
  "failed",
  "heap and buffers, MB",
  "workerd, MB",
];

/** Returns what came of calls as the cells of a table's row. */
export function loadCells({ perSecond, p50Ms, p99Ms, busy, failed, lost, heapMb, residentMb }: Load): string[] {
  const failures = lost > 0 ? { ...failed, "payment that bought nothing": lost } : failed;
  return [
    perSecond.toFixed(1),
    ...[p50Ms, p99Ms].map((ms) => ms.toFixed(0)),
    ...[counted(busy), counted(failures)],
    ...[heapMb, residentMb].map((mb) => mb.toFixed(0)),
  ];
}
