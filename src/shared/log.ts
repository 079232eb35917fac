/**
 * The only module that logs. Each line is one JSON object with an `event` and, if it belongs to a request, its
 * `request_id`. No line contains a secret: no token, signature, password or URL query.
 */
import type { PaymentEvent } from "../payments/wire/events.ts";
import type { ProblemCode } from "./problems.ts";

/** Written once per HTTP request, after the response. */
export interface RequestLine {
  event: "request";
  request_id: string;
  method: string;
  /** The route's pattern, such as `/v1/files/:file`; `*` if none matches. */
  route: string;
  status: number;
  /** Code of the problem, if any. */
  code?: string;
  /** Why the payment was not accepted, if the code is `payment_required`. */
  reason?: string;
  /** The MCP tool, if one was called. */
  tool?: string;
  /** Outcome of a call with a payment. The `sale` line has the payer and the reason of a refusal. */
  outcome?: "sold" | "replayed" | "refused";
  network?: string;
  /** Transaction hash of the payment. */
  transaction?: string;
  /** Id of the sold or downloaded result. */
  file?: string;
  /** Page count of the sold result. */
  pages?: number;
  /** Length of the request body. For a paid call: all received bytes, including files from URLs. */
  bytes_in?: number;
  /** Length of the sold result, or else of the response, if known. */
  bytes_out?: number;
  /** Duration of each step of a call: see `STEPS` in service/sale/steps.ts. */
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

/** A failure that is not the caller's fault. */
interface FailureLine {
  event: "failure";
  request_id?: string;
  /** Code of the problem sent to the caller. */
  code: string;
  /** The underlying error. */
  error: string;
}

/** The outcome of the hourly sweep. */
interface SweepLine {
  event: "sweep";
  deleted: number;
  /** False if files remain for the next run. */
  finished: boolean;
}

/** Problems with the settings, or with what the facilitators settle. */
interface SettingsLine {
  event: "settings";
  problems: string[];
  /** Errors from querying the facilitators. */
  errors: string[];
}

/** A message that the MCP server could not answer, or a response whose stream broke. */
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
