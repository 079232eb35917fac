/** The lines of the log, by event. docs/operate.md describes every event. */
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

/** Any line of the log, without its time and level. */
export type LogLine = RequestLine | FailureLine | SweepLine | SettingsLine | McpLine | PaymentEvent;
