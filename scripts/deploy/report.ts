import type { Failure } from "./failure.ts";

/** Prints one line of a deployment's output. */
export type Print = (line: string) => void;

/** The outcome of a check or a step in one line, with its warnings. */
export interface Found {
  line: string;
  warnings?: string[];
}

/** Prints the outcome of a successful step. */
export function tell(print: Print, { line, warnings = [] }: Found): void {
  print(`✓ ${line}`);
  for (const warning of warnings) print(`! ${warning}`);
}

/** Prints a failure and the next step. */
export function complain(print: Print, { message, next }: Failure): void {
  print(`✗ ${message}. Next: ${next}.`);
}
