/** Writes one data point per request to Workers Analytics Engine. docs/operate.md has SQL queries. */
import type { RequestLine } from "../shared/log.ts";

/** The optional dataset, bound in wrangler.toml. */
export interface RequestStatistics {
  REQUESTS?: AnalyticsEngineDataset;
}

/**
 * The text columns: `blob1` is the first entry, and so on. Data is stored for months, so columns are only appended and
 * never change their meaning. No column identifies a caller or payer or holds user input.
 */
export const BLOBS = ["route", "method", "code", "tool", "network", "outcome"] as const;
/** The number columns, from `double1`. A missing value is 0. */
export const DOUBLES = ["status", "ms", "pages", "bytes_in", "bytes_out", "verify_ms", "settle_ms"] as const;

/** Writes the data point of a request. `index1` is the route, so that sampling does not drop rare routes. */
export function countRequest(line: RequestLine, { REQUESTS }: RequestStatistics): void {
  REQUESTS?.writeDataPoint({
    indexes: [line.route],
    blobs: BLOBS.map((name) => line[name] ?? ""),
    doubles: DOUBLES.map((name) => line[name] ?? 0),
  });
}
