/**
 * The one place that logs. Each line is one JSON object with an `event` and, where it belongs to a request, its
 * `request_id`. Nothing secret is in any of them: no token, no signature, no password, no query of a URL.
 */
import type { PaymentEvent } from "./payments/events.ts";

/** One for each HTTP request, when it has been answered. */
interface RequestLine {
  event: "request";
  request_id: string;
  method: string;
  /** The route's pattern, such as `/v1/files/:file`; `*` where none matches. */
  route: string;
  status: number;
  /** The problem's code, where there is one. */
  code?: string;
  /** The MCP tool, where one was called. */
  tool?: string;
  ms: number;
}

/** Something that is not the caller's fault. */
interface FailureLine {
  event: "failure";
  request_id?: string;
  /** The problem that the caller was told. */
  code: string;
  /** What is behind it. */
  error: string;
}

/** What the hourly sweep did. */
interface SweepLine {
  event: "sweep";
  deleted: number;
  /** False where more is left for the next run. */
  finished: boolean;
}

/** A message that the MCP server cannot answer, or the stream of an answer that broke. */
interface McpLine {
  event: "mcp";
  request_id: string;
  error: string;
}

type LogLine = RequestLine | FailureLine | SweepLine | McpLine | PaymentEvent;

const MAX_ERROR_LENGTH = 2000;

/** Writes a line. */
export function log(line: LogLine): void {
  console.log(JSON.stringify(line));
}

/** What is behind a failure, for a log line: its stack, and that of its cause, without the queries of URLs. */
export function describeError(error: unknown): string {
  const described = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? `\ncaused by ${describeError(error.cause)}` : "";
  return `${described}${cause}`.replace(/\?[^\s"'`)]*/g, "?…").slice(0, MAX_ERROR_LENGTH);
}
