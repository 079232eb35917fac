import { Problem } from "../shared/problems.ts";

/** Creates the Problem for a file over the limit of its field. */
export function tooLarge({ field, maxBytes }: { field: "file" | "image"; maxBytes: number }): Problem {
  const [code, next] =
    field === "file"
      ? (["source_too_large", "Split the PDF and send the parts separately."] as const)
      : (["image_too_large", "Send an image with fewer pixels, or compress it."] as const);
  return new Problem(code, `The ${field} is larger than ${maxBytes} bytes, the limit of this service. ${next}`);
}
