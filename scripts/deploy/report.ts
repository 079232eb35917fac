import type { Failure } from "./failure.ts";

/** Where the lines of a deployment go. */
export type Print = (line: string) => void;

/** What a check or a step found or did, in one line, and what is odd all the same. */
export interface Found {
  line: string;
  warnings?: string[];
}

/** Prints what went well. */
export function tell(print: Print, { line, warnings = [] }: Found): void {
  print(`✓ ${line}`);
  for (const warning of warnings) print(`! ${warning}`);
}

/** Prints what went wrong, and what to do next. */
export function complain(print: Print, { message, next }: Failure): void {
  print(`✗ ${message}. Next: ${next}.`);
}
