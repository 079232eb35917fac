import { Problem } from "../problems.ts";

/** Creates the Problem for a file over the limit of its field. */
export function tooLarge({ field, maxBytes }: { field: "file" | "image"; maxBytes: number }): Problem {
  const code = field === "file" ? "source_too_large" : "image_too_large";
  return new Problem(code, `The ${field} is larger than ${maxBytes} bytes, the most this service takes.`);
}
