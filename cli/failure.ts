import { EngineError } from "../src/engine/index.ts";
import { Problem } from "../src/shared/problems.ts";

/** Exit codes of the program; ended by a signal, it has those that shells give: 130 for Ctrl-C. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** What was asked for is wrong: nothing has been done. */
  usage: 2,
  /** Money may have moved, and the file is not here yet: the message says how to get it. */
  unfinished: 3,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something that went wrong, in one line for the person at the terminal. */
export class Failure extends Error {
  override name = "Failure";
  /** For programs: the codes of the service's problems, and a few of our own. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** When to try again, where that was said; else 0. */
  readonly retryAfterSeconds: number;

  constructor(code: string, message: string, exitCode: ExitCode = EXIT.failed, retryAfterSeconds = 0) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Returns the failure of somebody who has asked for what there is not. */
export function misuse(message: string): Failure {
  return new Failure("usage", message, EXIT.usage);
}

/** Converts anything thrown to a Failure. Of what nobody expected it also says where it happened. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof EngineError) return new Failure(error.code, inFlags(error.message));
  if (error instanceof Problem) return new Failure(error.code, inFlags(error.detail));
  const [, where = ""] = error instanceof Error ? (error.stack ?? "").split("\n    ") : [];
  return new Failure("internal_error", `something is wrong in overprint itself: ${error} ${where}`);
}

/** Returns the service's words with the one field that they tell callers to send as the flag that it is here. */
export function inFlags(words: string): string {
  return words.replaceAll("`password`", "`--password`");
}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "part of that path is a file, not a folder",
  EISDIR: "it is a folder",
  EACCES: "you have no permission",
  EPERM: "it is not permitted",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "the name is too long",
};

/** Returns why the system has refused something, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}

/** Returns a text as one line that does nothing to a terminal: names and answers come from others. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").trim();
}
