/**
 * Writes the log. No other module logs. Each line is one JSON object with an `event` and, if it belongs to a request,
 * its `request_id`. No line contains a secret: no token, signature, password or URL query.
 */
import type { PaymentEvent } from "../payments/wire/events.ts";
import type { ProblemCode } from "./problems.ts";

/** The log line of an HTTP request, written after the response. */
export interface RequestLine {
  event: "request";
  request_id: string;
  method: string;
  /** Pattern of the route, such as `/v1/files/:file`, or `*` if no route matches. */
  route: string;
  status: number;
  /** Code of the problem, if any. */
  code?: string;
  /** Reason why the payment was not accepted, if the code is `payment_required`. */
  reason?: string;
  /** Name of the called MCP tool, if any. */
  tool?: string;
  /** Outcome of a call with a payment. The `sale` line contains the payer and the reason for a refusal. */
  outcome?: "sold" | "replayed" | "refused";
  network?: string;
  /** Transaction hash of the payment. */
  transaction?: string;
  /** Id of the sold or downloaded result. */
  file?: string;
  /** Page count of the sold result. */
  pages?: number;
  /**
   * Length of the request body in bytes. For a paid call, the number of all received bytes, including files from URLs.
   */
  bytes_in?: number;
  /** Length of the sold result in bytes. For other requests, the length of the response, if known. */
  bytes_out?: number;
  /** Duration of each step of a call, in milliseconds. `STEPS` in service/sale/steps.ts describes the steps. */
  receive_ms?: number;
  verify_ms?: number;
  plan_ms?: number;
  write_ms?: number;
  store_ms?: number;
  settle_ms?: number;
  ms: number;
}

/** Facts that handlers collect about a request, for its log line and its data point. */
export type RequestFacts = Partial<
  Omit<RequestLine, "event" | "request_id" | "method" | "route" | "status" | "ms" | "code"> & {
    code: ProblemCode | "payment_required";
  }
>;

/** The log line of a failure that the caller did not cause. */
interface FailureLine {
  event: "failure";
  request_id?: string;
  /** Code of the problem sent to the caller. */
  code: string;
  /** The underlying error. */
  error: string;
}

/** The log line of an hourly sweep. */
interface SweepLine {
  event: "sweep";
  deleted: number;
  /** Whether all expired files were deleted. If false, the next run deletes the rest. */
  finished: boolean;
}

/** The log line about problems with the settings, or with the networks that the facilitators support. */
interface SettingsLine {
  event: "settings";
  problems: string[];
  /** Errors from querying the facilitators. */
  errors: string[];
}

/** The log line about a message that the MCP server could not answer, or about a response whose stream broke. */
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

/**
 * Describes an error for the log: its stack and the stack of its cause, without URL queries, truncated to a maximum
 * length.
 */
export function describeError(error: unknown): string {
  const described = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const cause = error instanceof Error && error.cause !== undefined ? `\ncaused by ${describeError(error.cause)}` : "";
  return `${described}${cause}`.replace(/\?[^\s"'`)]*/g, "?…").slice(0, MAX_ERROR_LENGTH);
}
