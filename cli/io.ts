/** The parts of `process` that the program uses. Tests replace them. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** Exit code of the process. The program sets it when a command fails. */
  exitCode?: number | string | null | undefined;
}
