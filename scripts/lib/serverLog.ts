/** The output of `npm run serve`: one JSON object per line, each with a `time`, a `level` and an `event`. */
import { Log, LogLevel, type V4MiniflareOptions } from "miniflare";
import type { Level } from "../../src/shared/logLevel.ts";

/** Prints one line about the server process. */
export function printLine(level: Level, line: { event: string; [field: string]: unknown }, at = new Date()): void {
  process.stdout.write(`${JSON.stringify({ time: at.toISOString(), level, ...line })}\n`);
}

/** Prints a message of the server process. */
export function printMessage(level: Level, message: string): void {
  printLine(level, { event: "server", message });
}

/** Prints what workerd writes: log lines of the Worker unchanged, and other messages as the event `runtime`. */
export const printOfWorkerd: NonNullable<V4MiniflareOptions["handleStructuredLogs"]> = ({
  timestamp,
  level,
  message,
}) => {
  if (isLine(message)) process.stdout.write(`${message}\n`);
  else printLine(levelOf(level), { event: "runtime", message }, new Date(timestamp));
};

/** Whether a message is a line of the Worker's log. */
function isLine(message: string): boolean {
  if (!message.startsWith("{")) return false;
  try {
    const { time, event } = JSON.parse(message) as { time?: unknown; event?: unknown };
    return typeof time === "string" && typeof event === "string";
  } catch {
    return false;
  }
}

/** Returns the log level for a level of workerd's console. */
function levelOf(level: string): Level {
  return level === "error" || level === "warn" || level === "debug" ? level : "info";
}

const LEVELS: Record<LogLevel, Level> = {
  [LogLevel.NONE]: "info",
  [LogLevel.ERROR]: "error",
  [LogLevel.WARN]: "warn",
  [LogLevel.INFO]: "info",
  [LogLevel.DEBUG]: "debug",
  [LogLevel.VERBOSE]: "debug",
};

/** Miniflare's log, printed as the event `runtime`. */
export class MiniflareLog extends Log {
  constructor() {
    super(LogLevel.WARN);
  }

  override logWithLevel(level: LogLevel, message: string): void {
    if (level <= this.level) printLine(LEVELS[level], { event: "runtime", message });
  }
}

/** Prints warnings of Node.js and uncaught errors as log lines. An uncaught error still ends the process. */
export function printNodeMessages(): void {
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => printMessage("warn", `${name}: ${message}`));
  process.on("uncaughtException", (error) => {
    printMessage("error", error.stack ?? String(error));
    process.exit(1);
  });
}
