import type { Settings } from "../settings.ts";

/** The item being bought: a file, and the settings of its mark. */
export interface Order extends Settings {
  file: File;
}

/** Returns the order as the form that the paid call accepts. */
export function formOf({ file, image, operation, fields }: Order): FormData {
  const form = new FormData();
  form.set("file", file);
  if (operation === "image" && image) form.set("image", image);
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return form;
}

/** Returns the SHA-256 of an order in hexadecimal. Equal orders have equal digests. */
export async function digestOf({ file, image, operation, path, fields }: Order): Promise<string> {
  const files = operation === "image" && image ? [file, image] : [file];
  const digests = await Promise.all(files.map(fileDigest));
  const canonical = JSON.stringify([path, digests, Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return sha256(new TextEncoder().encode(canonical));
}

const known = new WeakMap<File, Promise<string>>();

function fileDigest(file: File): Promise<string> {
  let digest = known.get(file);
  if (!digest) {
    digest = file.arrayBuffer().then(sha256);
    known.set(file, digest);
  }
  return digest;
}

async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
