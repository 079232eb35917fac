/**
 * The only module that logs. Each line is one JSON object with an `event` and, if it belongs to a request, its
 * `request_id`. No line contains a secret: no token, signature, password or URL query.
 */
import type { PaymentEvent } from "./payments/events.ts";

/** One per HTTP request, once it has been answered. */
interface RequestLine {
  event: "request";
  request_id: string;
  method: string;
  /** The route's pattern, such as `/v1/files/:file`; `*` if none matches. */
  route: string;
  status: number;
  /** The problem's code, if any. */
  code?: string;
  /** The MCP tool, if one was called. */
  tool?: string;
  ms: number;
}

/** A failure that is not the caller's fault. */
interface FailureLine {
  event: "failure";
  request_id?: string;
  /** Code of the problem that the caller was told. */
  code: string;
  /** The underlying error. */
  error: string;
}

/** The outcome of the hourly sweep. */
interface SweepLine {
  event: "sweep";
  deleted: number;
  /** False if the next run has more to delete. */
  finished: boolean;
}

/** Settings are wrong or unknown, or ask for what the facilitators do not settle, or one does not say what it settles. */
interface SettingsLine {
  event: "settings";
  problems: string[];
  /** What went wrong in asking the facilitators. */
  errors: string[];
}

/** A message that the MCP server cannot answer, or an answer whose stream broke. */
interface McpLine {
  event: "mcp";
  request_id: string;
  error: string;
}

type LogLine = RequestLine | FailureLine | SweepLine | SettingsLine | McpLine | PaymentEvent;

const MAX_ERROR_LENGTH = 2000;

/** Writes one line to the log. */
export function log(line: LogLine): void {
  console.log(JSON.stringify(line));
}

/** Describes an error for the log: its stack and that of its cause, without URL queries, cut to a maximum length. */
export function describeError(error: unknown): string {
  const described = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? `\ncaused by ${describeError(error.cause)}` : "";
  return `${described}${cause}`.replace(/\?[^\s"'`)]*/g, "?…").slice(0, MAX_ERROR_LENGTH);
}
