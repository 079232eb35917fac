/**
 * Writes the log. No other module logs. Each line is one JSON object with a `time` (ISO 8601), a `level`, an `event`
 * and, if it belongs to a request, its `request_id`. No line contains a secret: no token, signature, password or URL
 * query.
 */
import { countLine } from "./counters.ts";
import { levelOf } from "./logLevel.ts";
import type { LogLine } from "./logLines.ts";

const MAX_ERROR_LENGTH = 2000;

/** Writes one line to the log, and counts it. */
export function log(line: LogLine): void {
  countLine(line);
  console.log(JSON.stringify({ time: new Date().toISOString(), level: levelOf(line), ...line }));
}

/**
 * Describes an error for the log: its stack and the stack of its cause, without URL queries, truncated to a maximum
 * length.
 */
export function describeError(error: unknown): string {
  const described = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? `\ncaused by ${describeError(error.cause)}` : "";
  return `${described}${cause}`.replace(/\?[^\s"'`)]*/g, "?…").slice(0, MAX_ERROR_LENGTH);
}
