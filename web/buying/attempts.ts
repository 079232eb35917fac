/**
 * Stores each attempt to buy an order in the browser's local storage. A retry after a lost answer or a page reload uses
 * the same Idempotency-Key and payment, which prevents a second charge. The page shows the stored links of bought files
 * again after a reload.
 */

import { recall, remember } from "../storage.ts";

/** The service's answer to a paid call. */
export interface Bought {
  output: { url: string; expires_at: string; pages: number; bytes: number };
  cost: string;
}

/** An attempt to buy an order. */
export interface Attempt {
  /** Digest of the order. Orders that differ only in the password have the same digest. */
  digest: string;
  /** Name of the order's result. */
  name: string;
  /** The settings of the mark in words. */
  settings?: string;
  /** A small picture of the first marked page, as a data URI. */
  picture?: string | undefined;
  /** The `Idempotency-Key` header, created before anything is signed. */
  key: string;
  /**
   * The payment header, set once the visitor has signed. The signed payment is valid only once, for this price and
   * recipient.
   */
  payment?: Record<string, string> | undefined;
  /** The result, until its link expires or is revoked. */
  bought?: Bought;
  /** Time of the purchase in Unix milliseconds. */
  boughtAt?: number;
  /** When the attempt is deleted, in Unix milliseconds. */
  until: number;
}

/** Facts about an order that its receipt shows, and the password, which is not stored. */
type AttemptFacts = Pick<Attempt, "name" | "picture"> & { settings: string; password: string };

const STORAGE = "overprint.attempts";
/** Maximum lifetime of links and idempotency keys. */
const RETENTION_MS = 30 * 24 * 3600 * 1000;

/**
 * Attempts that the service refused for a password, as pairs of a key and the password. They are kept in memory only,
 * because the browser must not store the password or a value derived from it.
 */
const refused = new Set<string>();

/** Returns the attempt for an order, if any. Prefers an attempt with a signed payment, which may have been charged. */
export function findAttempt(digest: string, password: string): Attempt | undefined {
  const found = read().filter((one) => one.digest === digest && !refused.has(pairOf(one, password)));
  return found.findLast(({ payment }) => payment) ?? found[0];
}

/** Excludes an attempt from the attempts for a password, because it bought the file with another password. */
export function excludeAttempt(attempt: Attempt, password: string): void {
  refused.add(pairOf(attempt, password));
}

function pairOf({ key }: Attempt, password: string): string {
  return `${key} ${password}`;
}

/** Returns the attempts whose links still work, oldest first. */
export function boughtAttempts(): (Attempt & { bought: Bought })[] {
  return read().filter((attempt): attempt is Attempt & { bought: Bought } => attempt.bought !== undefined);
}

/** Returns the attempt for an order, or starts one with a new key. */
export function beginAttempt(digest: string, { name, settings, picture, password }: AttemptFacts): Attempt {
  const found = findAttempt(digest, password);
  if (found) return found;
  const attempt = { digest, name, settings, picture, key: crypto.randomUUID(), until: Date.now() + RETENTION_MS };
  saveAttempt(attempt);
  return attempt;
}

/** Stores an attempt, replacing the previous version. */
export function saveAttempt(attempt: Attempt): void {
  write([...others(attempt), attempt]);
}

/** Deletes an attempt. Buying the order again is then a new purchase. */
export function dropAttempt(attempt: Attempt): void {
  write(others(attempt));
}

function others({ key }: Attempt): Attempt[] {
  return read().filter((attempt) => attempt.key !== key);
}

function read(): Attempt[] {
  return ((recall(STORAGE) ?? []) as Attempt[]).filter(({ until }) => Date.now() < until);
}

function write(attempts: Attempt[]): void {
  remember(STORAGE, attempts);
}
