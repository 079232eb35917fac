import { fieldInWords } from "../../src/site/fieldWords.ts";
import type { Settings } from "../settings.ts";

/** The item being bought, in the form that the checkout needs. */
export interface Order {
  /** Path of the paid call. */
  path: string;
  /** Name of the result, for the receipt. */
  name: string;
  /** The settings of the mark in words, for the receipt; empty if the page shows them elsewhere. */
  settings: string;
  /** A small picture of the first marked page, as a data URI. */
  picture?: string | undefined;
  /** Size of the files that the page uploads, in bytes; 0 if the service has them already. */
  bytes: number;
  /** Returns the body of the paid call. */
  form(): FormData;
  /** Whether the order was paid and is not sold again. Only the browser that paid can get the result again. */
  isSold?: boolean;
  /** Password of the file, or an empty text. The browser must not store it. */
  password: string;
  /** Returns a SHA-256 of the order without the password, in hexadecimal. */
  digest(): Promise<string>;
}

/** A file of the visitor, and the settings of its mark. */
interface MarkedFile extends Settings {
  file: File;
  picture?: string | undefined;
}

/**
 * Returns the order for a file of the visitor. The browser stores the words and the digest of the order, so both omit
 * the password.
 */
export function orderOf(marked: MarkedFile): Order {
  const { path, file, image } = marked;
  const bytes = file.size + (image?.size ?? 0);
  return {
    path,
    name: String(marked.fields.filename ?? file.name).replace(/(\.pdf)?$/i, ".pdf"),
    settings: settingsOf(marked),
    picture: marked.picture,
    bytes,
    form: () => formOf(marked),
    password: String(marked.fields.password ?? ""),
    digest: () => digestOf(marked),
  };
}

function settingsOf({ operation, image, fields }: MarkedFile): string {
  const { filename: _, ...shown } = withoutPassword(fields); // omits the name, which the receipt shows separately
  const words = Object.entries(shown).map(([name, value]) => fieldInWords(name, value));
  return [...(operation === "image" && image ? [`image ${image.name}`] : []), ...words].join(", ");
}

function formOf({ file, image, operation, fields }: MarkedFile): FormData {
  const form = new FormData();
  form.set("file", file);
  if (operation === "image" && image) form.set("image", image);
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return form;
}

/** Returns the fields without the password. The browser stores their digest, which would reveal a short password. */
function withoutPassword({ password: _, ...fields }: Settings["fields"]): Settings["fields"] {
  return fields;
}

/** Computes the digest of an order. The name of the file contributes only if the text of the mark shows it. */
async function digestOf({ file, image, operation, path, fields }: MarkedFile): Promise<string> {
  const files = operation === "image" && image ? [file, image] : [file];
  const digests = await Promise.all(files.map(fileDigest));
  const sorted = Object.entries(withoutPassword(fields)).sort(([a], [b]) => (a < b ? -1 : 1));
  const source = String(fields.text).includes("{filename}") ? [file.name] : [];
  const canonical = JSON.stringify([path, digests, sorted, ...source]);
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

/** Returns the SHA-256 of data in hexadecimal. */
export async function sha256(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
