import { oneLine } from "./failure.ts";
import type { Io } from "./io.ts";

/** Prints a line about a result: to stdout, or to stderr if stdout carries the PDF. */
export function say(line: string, stream: NodeJS.WritableStream): void {
  stream.write(`${oneLine(line)}\n`);
}

/** Prints a line about progress or an error to stderr. */
export function warn(line: string, { stderr }: Io): void {
  say(line, stderr);
}

/** Prints a result as JSON, for other programs. The JSON is then the only output on stdout. */
export function printJson(value: object, { stdout }: Io): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Returns a number with its noun in singular or plural, such as `1 page` or `4 pages`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
