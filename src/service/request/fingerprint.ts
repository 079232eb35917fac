import { decodeBase64, MalformedFile, payloadOf } from "../../inputs/inlineFile.ts";
import { Upload } from "../../inputs/upload.ts";
import { sha256 } from "../../shared/sha256.ts";

/** The fields that may be files. */
const FILES = ["file", "image"];

/**
 * Returns the fingerprint of a request: the SHA-256, in hexadecimal, of the operation and its checked fields, sorted by
 * name. Equivalent requests have the same fingerprint: a sent file counts by the SHA-256 of its bytes, regardless of how it
 * was sent.
 */
export async function fingerprintOf(operation: string, fields: object): Promise<string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const sorted = given.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries = sorted.map(async ([name, value]) => [name, FILES.includes(name) ? await hashed(value) : value]);
  return sha256(JSON.stringify([operation, await Promise.all(entries)]));
}

/** Returns a file's hash, or the URL or handle that names it. */
async function hashed(file: string | Upload): Promise<unknown> {
  if (file instanceof Upload) return { sha256: file.sha256 };
  try {
    return { sha256: await sha256(decodeBase64(payloadOf(file))) };
  } catch (error) {
    if (error instanceof MalformedFile) return file;
    throw error;
  }
}
