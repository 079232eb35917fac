/** Writes one data point per request to Workers Analytics Engine. docs/operate.md shows SQL queries for the data. */
import type { RequestLine } from "../shared/logLines.ts";

/** The binding of the optional dataset, from wrangler.toml. */
export interface RequestStatistics {
  REQUESTS?: AnalyticsEngineDataset;
}

/**
 * The text columns: the first entry is `blob1`, and so on. Analytics Engine stores data for months, so new columns are
 * appended and no column changes its meaning. No column identifies a caller or payer, and no column contains user
 * input.
 */
export const BLOBS = ["route", "method", "code", "tool", "network", "outcome"] as const;
/** The number columns: the first entry is `double1`, and so on. A missing value is written as 0. */
export const DOUBLES = ["status", "ms", "pages", "bytes_in", "bytes_out", "verify_ms", "settle_ms"] as const;

/**
 * Writes the data point of a request. `index1` is the route, because Analytics Engine samples per index. Data points of
 * rare routes are therefore kept.
 */
export function countRequest(line: RequestLine, { REQUESTS }: RequestStatistics): void {
  REQUESTS?.writeDataPoint({
    indexes: [line.route],
    blobs: BLOBS.map((name) => line[name] ?? ""),
    doubles: DOUBLES.map((name) => line[name] ?? 0),
  });
}
