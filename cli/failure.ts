import { OverprintError } from "../packages/client/errors.ts";
import { EngineError } from "../src/engine/index.ts";
import { Problem } from "../src/shared/problems.ts";

/** Exit codes of the program. A signal ends the program with the code that shells use, such as 130 for Ctrl-C. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is invalid. Nothing was done. */
  usage: 2,
  /** Money may have moved, but the file has not been downloaded. The message says how to get the file. */
  unfinished: 3,
  /** Some files of a series were bought and downloaded, and others were not. The message says how to get the others. */
  partial: 4,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with a one-line message for the person at the terminal. */
export class Failure extends Error {
  override name = "Failure";
  /** A code for programs: a problem code of the service, or one of the CLI's own codes. */
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** Returns the failure for an invalid command line. */
export function misuse(message: string): Failure {
  return new Failure("usage", message, EXIT.usage);
}

/** Converts any thrown value to a Failure. The message of an unexpected error includes its location. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof OverprintError) return new Failure(error.code, inCliStyle(error.message));
  if (error instanceof EngineError) return new Failure(error.code, inFlags(error.message));
  if (error instanceof Problem) return new Failure(error.code, inFlags(error.detail));
  const [, where = ""] = error instanceof Error ? (error.stack ?? "").split("\n    ") : [];
  return new Failure("internal_error", `unexpected error in overprint: ${error} ${where}`);
}

/** Maximum length of a message of a deployment or of the client. */
const MAX_MESSAGE_LENGTH = 1000;

function inCliStyle(message: string): string {
  const words = message.slice(0, MAX_MESSAGE_LENGTH).replace(/\.$/, "");
  return inFlags(words.replace(/^The (answer|payment)\b/, "the $1"));
}

/**
 * Replaces the field name `password` by the flag `--password` in a message of the service. `password` is the only field
 * that a message asks the user to set.
 */
function inFlags(words: string): string {
  return words.replaceAll("`password`", "`--password`");
}

const REASONS: Record<string, string> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  ENAMETOOLONG: "the name is too long",
};

/** Returns the reason for a system error in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ""] ?? message;
}

/** Returns a text as one line without control characters, because names and answers are untrusted. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").trim();
}
