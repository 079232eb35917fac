/**
 * What has been tried to buy, kept in the browser's storage: an order that is tried again, after a lost answer or a reload
 * of the page, has the same Idempotency-Key and the same payment, and so is charged once. Links that were bought are kept
 * with it, and found again when the page is.
 */

/** What was bought: the service's answer. */
export interface Bought {
  output: { url: string; expires_at: string; pages: number; bytes: number };
  cost: string;
}

/** An order that was tried. */
export interface Attempt {
  /** Of the order. */
  digest: string;
  /** Of its file. */
  name: string;
  /** Sent as `Idempotency-Key`. Made before anything is signed. */
  key: string;
  /** The header with the signed payment, once there is one. It is good for this price and recipient only, and once. */
  payment?: Record<string, string> | undefined;
  /** What it has bought, until that link ends. */
  bought?: Bought;
  /** When it is forgotten, Unix milliseconds. */
  until: number;
}

const STORAGE = "overprint.attempts";
/** The longest that links work, and keys stay bound. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** Stands in for a storage that the browser withholds. */
let inMemory = "[]";

/** Returns what was tried for an order, if anything was. */
export function findAttempt(digest: string): Attempt | undefined {
  return read().find((attempt) => attempt.digest === digest);
}

/** Returns the attempts whose links still work, the oldest first. */
export function boughtAttempts(): (Attempt & { bought: Bought })[] {
  return read().filter((attempt): attempt is Attempt & { bought: Bought } => attempt.bought !== undefined);
}

/** Returns what was tried for an order, or begins anew, with a key of its own. */
export function beginAttempt(digest: string, name: string): Attempt {
  const found = findAttempt(digest);
  if (found) return found;
  const attempt = { digest, name, key: crypto.randomUUID(), until: Date.now() + KEPT_MS };
  keepAttempt(attempt);
  return attempt;
}

/** Keeps what has changed of an attempt. */
export function keepAttempt(attempt: Attempt): void {
  write([...others(attempt), attempt]);
}

/** Forgets an attempt: the next one is a purchase of its own. */
export function dropAttempt(attempt: Attempt): void {
  write(others(attempt));
}

function others({ digest }: Attempt): Attempt[] {
  return read().filter((attempt) => attempt.digest !== digest);
}

function read(): Attempt[] {
  const attempts = JSON.parse(stored() ?? inMemory) as Attempt[];
  return attempts.filter(({ until }) => Date.now() < until);
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORAGE);
  } catch {
    return null;
  }
}

function write(attempts: Attempt[]): void {
  inMemory = JSON.stringify(attempts);
  try {
    localStorage.setItem(STORAGE, inMemory);
  } catch {
    // the page has it for as long as it is open
  }
}
