/** The environment of a run: the parts of `process` that the program uses. Tests replace it. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** The exit code to set. */
  exitCode?: number | string | null | undefined;
}
