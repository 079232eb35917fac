import { Problem } from "../shared/problems.ts";

/** Creates the Problem for a file over the limit of its field. */
export function tooLarge({ field, maxBytes }: { field: "file" | "image"; maxBytes: number }): Problem {
  const [code, next] =
    field === "file"
      ? (["source_too_large", "Split the PDF, and send its parts."] as const)
      : (["image_too_large", "Send one with fewer pixels, or compress it."] as const);
  return new Problem(code, `The ${field} is larger than ${maxBytes} bytes, the most this service takes. ${next}`);
}
