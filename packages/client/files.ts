/** The form of a call, its files, and their hashes. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { partRanges } from "../../src/shared/partRanges.ts";
import { OverprintError } from "./errors.ts";

/**
 * A file in a call: its bytes, or a text. The text is a public http(s) URL or an upload handle (`upload:…`). The
 * deployment then reads the file with this URL or handle. A text is never a path.
 */
export type FileSource = Blob | ArrayBuffer | Uint8Array | URL | string;

/**
 * Converts a file to the value of a form field.
 * @throws OverprintError `invalid_argument` if the source is not a file, an http(s) URL or a handle
 */
export function formValue(source: FileSource | undefined, field: "file" | "image"): File | string {
  const text = source instanceof URL ? source.href : source;
  if (typeof text === "string" && /^(https?:\/\/|upload:)/i.test(text)) return text;
  if (source instanceof File) return source;
  if (source instanceof Blob || source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return new File([source as Blob | Uint8Array<ArrayBuffer>], field === "file" ? "document.pdf" : "image");
  throw new OverprintError(
    "invalid_argument",
    `\`${field}\` must be the bytes of a file, a Blob, an http(s) URL or an upload handle. Read a local file first.`,
  );
}

/** Creates a form with the given fields. Leaves out fields whose value is undefined. */
export function formWith(fields: Readonly<Record<string, File | string | number | boolean | undefined>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof File) form.set(name, value);
    else if (value !== undefined) form.set(name, String(value));
  }
  return form;
}

/** Computes the SHA-256 of a stream of bytes while it is read. */
export function hashing(onEnd: (hex: string) => void): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const hash = sha256.create();
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
    flush: () => onEnd(bytesToHex(hash.digest())),
  });
}

/** Computes the SHA-256 of a file in hexadecimal, without loading it into memory. */
export async function sha256Of(file: Blob): Promise<string> {
  const hash = sha256.create();
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return bytesToHex(hash.digest());
    hash.update(value);
  }
}

/** Computes the hash that identifies a file sent in parts: the SHA-256 over the digests of its parts, in hexadecimal. */
export async function sha256OfParts(file: Blob, partBytes: number): Promise<string> {
  const hash = sha256.create();
  for (const { start, end } of partRanges(file.size, partBytes))
    hash.update(hexToBytes(await sha256Of(file.slice(start, end))));
  return bytesToHex(hash.digest());
}
