import { decodeBase64, MalformedFile, payloadOf } from "../../inputs/inlineFile.ts";
import { isAddress } from "../../inputs/source.ts";
import { Upload } from "../../inputs/upload.ts";
import { sha256 } from "../../shared/sha256.ts";
import { isHandle } from "../../storage/uploads.ts";

/** The fields that may be files. */
const FILES = ["file", "image"] as const;

/** The SHA-256 of the files of a request, in hexadecimal. The hash of a file that was not read is undefined. */
export type FileHashes = { readonly [Field in (typeof FILES)[number]]?: string | undefined };

/** Returns the hashes of the files that were sent with a request. A URL or a handle has no hash yet. */
export async function hashesOf(fields: object): Promise<FileHashes> {
  const hashes = FILES.map(async (name) => [name, await hashOf((fields as Record<string, unknown>)[name])] as const);
  return Object.fromEntries((await Promise.all(hashes)).filter(([, hash]) => hash !== undefined));
}

/**
 * Returns the fingerprint of a request: the SHA-256, in hexadecimal, of the operation and its checked fields, sorted by
 * name. Equivalent requests have the same fingerprint: a file counts by its hash if there is one, regardless of how it was
 * sent, and otherwise by the URL or handle that names it.
 */
export async function fingerprintOf(operation: string, fields: object, hashes: FileHashes): Promise<string> {
  const known = Object.entries(hashes).filter(([, hash]) => hash !== undefined);
  const counted = { ...fields, ...Object.fromEntries(known.map(([name, hash]) => [name, { sha256: hash }])) };
  const given = Object.entries(counted).filter(([, value]) => value !== undefined);
  return sha256(JSON.stringify([operation, given.toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}

/**
 * Returns the digest of a request, which identifies its content: a {@link fingerprintOf} with the hash of every file,
 * and with the date if the text contains `{date}`. Undefined if a file has no hash yet.
 * @param date the date that the mark shows
 */
export async function digestOf(
  operation: string,
  fields: object,
  hashes: FileHashes,
  date: Date,
): Promise<string | undefined> {
  if (FILES.some((name) => name in fields && hashes[name] === undefined)) return undefined;
  const isDated = "text" in fields && String(fields.text).includes("{date}");
  const shown = isDated ? { ...fields, date: date.toISOString().slice(0, 10) } : fields;
  return fingerprintOf(operation, shown, hashes);
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
