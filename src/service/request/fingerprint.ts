import { decodeBase64, MalformedFile, payloadOf } from "../../inputs/inlineFile.ts";
import { isAddress } from "../../inputs/source.ts";
import { Upload } from "../../inputs/upload.ts";
import { sha256 } from "../../shared/sha256.ts";
import { isHandle } from "../../storage/uploads.ts";

/** The fields that may be files. */
const FILES = ["file", "image"] as const;

/** The SHA-256 of the files of a request, in hexadecimal. The hash of a file that was not read is undefined. */
export type FileHashes = { readonly [Field in (typeof FILES)[number]]?: string | undefined };

/**
 * Returns the hashes of the files that were sent with a request. A file that is named by a URL or a handle has no hash
 * yet.
 */
export async function hashesOf(fields: object): Promise<FileHashes> {
  const hashes = FILES.map(async (name) => [name, await hashOf((fields as Record<string, unknown>)[name])] as const);
  return Object.fromEntries((await Promise.all(hashes)).filter(([, hash]) => hash !== undefined));
}

/**
 * Returns the fingerprint of a request: the SHA-256, in hexadecimal, of the operation and its checked fields, sorted by
 * name. Equivalent requests have equal fingerprints. A file contributes its hash, regardless of how it was sent. A file
 * without a hash contributes the URL or handle that names it. The name of a sent file contributes only if the text
 * shows it.
 */
export async function fingerprintOf(operation: string, fields: object, hashes: FileHashes): Promise<string> {
  const known = Object.entries(hashes).filter(([, hash]) => hash !== undefined);
  const name = "file" in fields && fields.file instanceof Upload && shows(fields, "{filename}") && fields.file.name;
  const counted = {
    ...fields,
    ...Object.fromEntries(known.map(([field, hash]) => [field, { sha256: hash }])),
    ...(name && { source: name }),
  };
  const given = Object.entries(counted).filter(([, value]) => value !== undefined);
  return sha256(JSON.stringify([operation, given.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}

/** Values of the placeholders that depend neither on the request's fields nor on the bytes of its files. */
export interface ShownValues {
  /** The date that the mark shows. */
  date: Date;
  /** The name of a file that was fetched or uploaded before the call. */
  source?: string | undefined;
}

/**
 * Returns the digest of a request, which identifies its content. The digest is a {@link fingerprintOf} with the hash of
 * every file, and with the values that the placeholders in the text show. Returns undefined if a file has no hash yet.
 */
export async function digestOf(
  operation: string,
  fields: object,
  hashes: FileHashes,
  { date, source }: ShownValues,
): Promise<string | undefined> {
  if (FILES.some((name) => name in fields && hashes[name] === undefined)) return undefined;
  const [day, time] = date.toISOString().split("T") as [string, string];
  const shown = {
    ...fields,
    ...(shows(fields, "{date") && { date: day }),
    ...(shows(fields, "{time}") && { time: time.slice(0, "hh:mm".length) }),
    ...(shows(fields, "{filename}") && source && { source }),
  };
  return fingerprintOf(operation, shown, hashes);
}

/** Returns whether the text of a request contains a placeholder, given by its beginning. */
function shows(fields: object, placeholder: string): boolean {
  return "text" in fields && String(fields.text).includes(placeholder);
}

async function hashOf(file: unknown): Promise<string | undefined> {
  if (file instanceof Upload) return file.sha256;
  if (typeof file !== "string" || isAddress(file) || isHandle(file)) return undefined;
  try {
    return await sha256(decodeBase64(payloadOf(file)));
  } catch (error) {
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}
