/** What a run of the program has around it: as much of `process` as it looks at, which the tests stand in for. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  env: Record<string, string | undefined>;
  /** What becomes the exit code. */
  exitCode?: number | string | null | undefined;
}
