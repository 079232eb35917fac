import { Problem } from "../problems.ts";

/** Creates the Problem for a file over its limit. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("source_too_large", `The file is larger than ${maxBytes} bytes, the most this service takes.`);
}
