/**
 * Quotes in R2. A quote is a request that somebody else may pay for, through a page.
 *
 * - key of a quote: `quotes/<group>/<hash of the id>`. `group` is the hour in which the quote expires.
 *
 * The object is encrypted with a key that is derived from the id, so the storage alone reveals nothing.
 *
 * Two secrets open a quote. Only the caller that created the quote holds the claim, which gives access to the result.
 * The id is in the URL of the page. The id is derived from the claim, but the claim cannot be derived from the id.
 */
import { Problem } from "../shared/problems.ts";
import { sha256 } from "../shared/sha256.ts";
import { groupOf, randomHex } from "./keys.ts";
import type { Bucket } from "./objectStore.ts";

const ID = /^(\d{6})-[0-9a-f]{32}$/;
const CLAIM = /^claim:(\d{6})-[0-9a-f]{32}$/;
const IV_BYTES = 12;

/** A stored request and the time at which it expires (Unix milliseconds). */
export interface Quote {
  /** Name of the operation. */
  operation: string;
  fields: Record<string, unknown>;
  expires: number;
}

/** Stores a quote. Returns the id for the quote's page, and the claim for the caller. */
export async function createQuote(bucket: Bucket, quote: Quote): Promise<{ id: string; claim: string }> {
  const claim = `claim:${groupOf(quote.expires)}-${randomHex(16)}`;
  const id = await quoteIdOf(claim);
  await bucket.put(await keyOf(id), await encrypted(id, JSON.stringify(quote)), {});
  return { id, claim };
}

/**
 * Returns the id that belongs to a claim.
 * @throws Problem quote_not_found if the claim is malformed
 */
export async function quoteIdOf(claim: string): Promise<string> {
  const group = CLAIM.exec(claim)?.[1];
  if (group === undefined) throw notFound();
  return `${group}-${(await sha256(`id of ${claim}`)).slice(0, 32)}`;
}

/**
 * Returns a quote by its id.
 * @param now Unix milliseconds
 * @throws Problem quote_not_found, quote_expired
 */
export async function quoteAt(bucket: Bucket, id: string, now: number): Promise<Quote> {
  const group = ID.exec(id)?.[1];
  const object = group === undefined ? null : await bucket.get(await keyOf(id), {});
  if (!object && group !== undefined && group < groupOf(now)) throw quoteExpired();
  if (!object) throw notFound();
  const quote = JSON.parse(await decrypted(id, (await object.json()) as string)) as Quote | null;
  if (quote === null || quote.expires <= now) throw quoteExpired();
  return quote;
}

/** Replaces a quote by a marker, so that the quote's page can report that the quote was withdrawn. */
export async function withdrawStored(bucket: Bucket, id: string): Promise<void> {
  await bucket.put(await keyOf(id), await encrypted(id, "null"), {});
}

/** Creates the error for a quote that has expired or was withdrawn. */
export function quoteExpired(): Problem {
  return new Problem("quote_expired", "This payment link has expired or was withdrawn. Ask for a new one.");
}

function notFound(): Problem {
  return new Problem("quote_not_found", "This payment link does not exist. Use it exactly as the service returned it.");
}

async function keyOf(id: string): Promise<string> {
  return `quotes/${id.slice(0, 6)}/${(await sha256(`key of ${id}`)).slice(0, 32)}`;
}

async function cipherOf(id: string): Promise<CryptoKey> {
  const secret = Uint8Array.fromHex(await sha256(`cipher of ${id}`));
  return crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Returns a text encrypted with AES-256-GCM, as a JSON string of base64. */
async function encrypted(id: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const data = new TextEncoder().encode(text);
  const bytes = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await cipherOf(id), data);
  return JSON.stringify(Buffer.concat([iv, new Uint8Array(bytes)]).toString("base64"));
}

async function decrypted(id: string, stored: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(stored);
  const [iv, data] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)];
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await cipherOf(id), data));
}
