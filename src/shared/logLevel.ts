import type { LogLine } from "./logLines.ts";

/** Severity of a log line. An `error` needs action by the operator. A `warn` needs action if it is frequent. */
export type Level = "debug" | "info" | "warn" | "error";

/**
 * Severity of the events and outcomes that are not `info`. The key of an outcome is its event, a space and the outcome.
 */
const LEVELS: Record<string, Level> = {
  chain: "warn",
  facilitator: "warn",
  failure: "warn",
  mcp: "warn",
  settings: "warn",
  "channel claim_failed": "warn",
  "channel withdrawal": "warn",
  "settlement pending": "warn",
  "settlement unproved": "warn",
  "settlement unresolved": "error",
};

/** Returns the severity of a log line. */
export function levelOf(line: LogLine): Level {
  if ("code" in line && line.code === "internal_error") return "error";
  if (line.event === "request" && line.status >= 500) return "warn";
  if (line.event === "sweep" && !line.finished) return "warn";
  return ("outcome" in line && LEVELS[`${line.event} ${line.outcome}`]) || LEVELS[line.event] || "info";
}
