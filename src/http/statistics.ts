/** One data point for each request, for SQL over many: Workers Analytics Engine. docs/operate.md has queries. */
import type { RequestLine } from "../shared/log.ts";

/** The dataset, where the deployment has one: wrangler.toml binds it. */
export interface RequestStatistics {
  REQUESTS?: AnalyticsEngineDataset;
}

/**
 * The columns: `blob1` is the first of BLOBS, and so on. Data is kept for months: columns are added at the end, and none is
 * put to another use. None tells who has called or paid, or holds what anybody has written.
 */
export const BLOBS = ["route", "method", "code", "tool", "network", "outcome"] as const;
/** As BLOBS, from `double1`; zero where there is none. */
export const DOUBLES = ["status", "ms", "pages", "bytes_in", "bytes_out", "verify_ms", "settle_ms"] as const;

/** Writes the data point of a request. `index1` is the route: where points are sampled, rare routes are not lost. */
export function countRequest(line: RequestLine, { REQUESTS }: RequestStatistics): void {
  REQUESTS?.writeDataPoint({
    indexes: [line.route],
    blobs: BLOBS.map((name) => line[name] ?? ""),
    doubles: DOUBLES.map((name) => line[name] ?? 0),
  });
}
