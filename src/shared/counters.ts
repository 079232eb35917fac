/** Counts the lines of the log in this isolate. The counts start at 0 with the isolate and end with it. */
import type { LogLine } from "./logLines.ts";

/** A counter of log lines. */
interface Counter {
  help: string;
  /** Fields of the log line that become labels. Each must have few distinct values. */
  labels: readonly string[];
  /**
   * Label values whose series exist with the value 0 from the start. Otherwise Prometheus would miss the first
   * increase.
   */
  known?: readonly string[];
}

/** Every counter by its name. docs/operations/monitoring.md lists the same names. */
export const COUNTERS = {
  overprint_requests_total: { help: "Answered requests.", labels: ["route", "status", "code"] },
  overprint_sales_total: { help: "Ended calls with a payment.", labels: ["network", "outcome"] },
  overprint_sold_atomic_total: { help: "Sold amounts in the token's smallest unit.", labels: ["network"] },
  overprint_settlements_total: {
    help: "Settlement attempts of the ledger.",
    labels: ["outcome"],
    known: ["settled", "unproved", "refused", "pending", "unresolved"],
  },
  overprint_unresolved_atomic_total: {
    help: "Amounts of payments with an unknown outcome, in the token's smallest unit.",
    labels: [],
    known: [],
  },
  overprint_channel_events_total: {
    help: "Changes of payment channels.",
    labels: ["outcome"],
    known: ["deposited", "refunded", "claimed", "transferred", "claim_failed", "withdrawal"],
  },
  overprint_facilitator_errors_total: {
    help: "Calls to facilitators without a verdict.",
    labels: ["call"],
    known: ["verify", "settle"],
  },
  overprint_chain_errors_total: { help: "Calls to blockchain nodes without a valid answer.", labels: [], known: [] },
  overprint_failures_total: {
    help: "Failures that callers did not cause.",
    labels: ["code"],
    known: ["internal_error", "facilitator_unavailable"],
  },
  overprint_mcp_errors_total: { help: "MCP messages or streams that failed.", labels: [], known: [] },
  overprint_settings_lines_total: { help: "Log lines about faults of the settings.", labels: [], known: [] },
  overprint_sweeps_total: { help: "Runs of the sweep.", labels: ["finished"], known: ["true", "false"] },
  overprint_swept_files_total: { help: "Expired files that the sweep deleted.", labels: [], known: [] },
} as const satisfies Record<string, Counter>;

type CounterName = keyof typeof COUNTERS;

/** Values of a counter, by the values of its labels as a JSON array. */
type Series = Map<string, number>;

const counters = fromZero();
let sweptAt: number | undefined;

function fromZero(): Map<CounterName, Series> {
  const entries = Object.entries(COUNTERS as Record<string, Counter>).map(([name, { labels, known }]) => {
    const first = labels.length === 0 ? known && [[]] : known?.map((value) => [value]);
    return [name as CounterName, new Map((first ?? []).map((values) => [JSON.stringify(values), 0]))] as const;
  });
  return new Map(entries);
}

/** Returns the values of a counter in this isolate, each with the values of its labels. */
export function countsOf(name: CounterName): { labels: string[]; value: number }[] {
  return [...counters.get(name)!].map(([labels, value]) => ({ labels: JSON.parse(labels) as string[], value }));
}

/** Returns the time of the isolate's last sweep (Unix milliseconds), if any. */
export function lastSweep(): number | undefined {
  return sweptAt;
}

/** The counter for the log lines of each event. */
const COUNTER_OF = {
  request: "overprint_requests_total",
  sale: "overprint_sales_total",
  settlement: "overprint_settlements_total",
  channel: "overprint_channel_events_total",
  facilitator: "overprint_facilitator_errors_total",
  chain: "overprint_chain_errors_total",
  failure: "overprint_failures_total",
  mcp: "overprint_mcp_errors_total",
  settings: "overprint_settings_lines_total",
  sweep: "overprint_sweeps_total",
} as const satisfies Record<LogLine["event"], CounterName>;

/** Adds a log line to the counters. */
export function countLine(line: LogLine): void {
  add(COUNTER_OF[line.event], line);
  if (line.event === "sale" && line.outcome === "sold") add("overprint_sold_atomic_total", line, Number(line.amount));
  if (line.event === "settlement" && line.outcome === "unresolved")
    add("overprint_unresolved_atomic_total", line, Number(line.amount));
  if (line.event === "sweep") {
    sweptAt = Date.now();
    add("overprint_swept_files_total", line, line.deleted);
  }
}

function add(name: CounterName, line: LogLine, by = 1): void {
  const fields: Record<string, unknown> = { ...line };
  const labels = JSON.stringify(COUNTERS[name].labels.map((label) => String(fields[label] ?? "")));
  const series = counters.get(name)!;
  series.set(labels, (series.get(labels) ?? 0) + by);
}
