/**
 * The only module that logs. Each line is one JSON object with an `event` and, if it belongs to a request, its
 * `request_id`. No line contains a secret: no token, signature, password or URL query.
 */
import type { PaymentEvent } from "../payments/wire/events.ts";
import type { ProblemCode } from "./problems.ts";

/** One per HTTP request, once it has been answered. */
export interface RequestLine {
  event: "request";
  request_id: string;
  method: string;
  /** The route's pattern, such as `/v1/files/:file`; `*` if none matches. */
  route: string;
  status: number;
  /** The problem's code, if any. */
  code?: string;
  /** What was wrong with a call's payment, if the code is `payment_required`. */
  reason?: string;
  /** The MCP tool, if one was called. */
  tool?: string;
  /** Of a call with a payment: what it got. The line `sale` says why it was refused, and who has paid. */
  outcome?: "sold" | "replayed" | "refused";
  network?: string;
  /** Hash of the payment's transaction. */
  transaction?: string;
  /** Id of the result that was sold, or asked for by its link. */
  file?: string;
  /** Of the result that was sold. */
  pages?: number;
  /** Length of the body; of a paid call what it has taken in, files at URLs among it. */
  bytes_in?: number;
  /** Length of the result that was sold, or else of the answer, where that is known. */
  bytes_out?: number;
  /** How long each step of a call took: see `STEPS` in service/steps.ts. */
  receive_ms?: number;
  verify_ms?: number;
  plan_ms?: number;
  write_ms?: number;
  store_ms?: number;
  settle_ms?: number;
  ms: number;
}

/** What is found out about a request while it is answered, for its line and its data point. */
export type RequestFacts = Partial<
  Omit<RequestLine, "event" | "request_id" | "method" | "route" | "status" | "ms" | "code"> & {
    code: ProblemCode | "payment_required";
  }
>;

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
