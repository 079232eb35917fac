/**
 * Idempotency keys and default keys. Each key is bound to the payment made under it, and to the request for which this
 * payment was made.
 */
import type { Network } from "../wire/networks.ts";

/** The payment and the request to which a payer's idempotency key is bound. */
export interface Binding {
  /** The payment's identity, see `paymentKey`. */
  payment: string;
  /** The chain of the payment. */
  chain: Network;
  /** Identifies the request for which the payment was made. */
  fingerprint: string;
}

/** A binding as stored. The version counts the bindings made under the key. */
export type StoredBinding = Binding & { version: number };

/**
 * Returns the name of the Durable Object that stores a payer's idempotency key. The name contains only a hash of the
 * key.
 */
export async function keyNameOf(payer: string, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `key:${payer.toLowerCase()}:${new Uint8Array(digest).toHex()}`;
}

/**
 * Returns the name of the Durable Object that stores the default key of a payer's request. No Durable Object of an
 * idempotency key has this name.
 * @param digest identifies the request by its content, see `SaleTerms.knownDigest`
 */
export function defaultKeyNameOf(payer: string, digest: string): string {
  return `same:${payer.toLowerCase()}:${digest}`;
}

/**
 * Prefix of the idempotency keys that the service assigns. The default key still applies to a call with an assigned
 * key.
 */
const ASSIGNED = "repeat-";

/** Creates a key for the next attempt of a call that has no key. */
export function assignKey(): string {
  return ASSIGNED + crypto.randomUUID();
}

/** Returns whether a key was assigned by the service rather than chosen by the caller. */
export function isAssignedKey(key: string): boolean {
  return key.startsWith(ASSIGNED);
}

interface BindingStorage {
  load(): StoredBinding | undefined;
  /** Stores the binding until `expiresAt`, Unix milliseconds. */
  save(binding: StoredBinding, expiresAt: number): void;
}

/**
 * The binding of one idempotency key of one payer, or of the default key of one request. At most one payment settles
 * under a key, because of two rules:
 * - A call settles a payment under a key only after it has claimed the payment and then bound the key to it.
 * - A key moves to another payment only after `LedgerEntry.invalidateClaims` has ensured that the old payment cannot
 *   settle, and only if the key's binding has not changed since the caller read it.
 *
 * A default key also moves on once the sale of the old payment is older than `REPEAT_MS`.
 */
export class KeyBinding {
  readonly #storage: BindingStorage;

  constructor(storage: BindingStorage) {
    this.#storage = storage;
  }

  /** Returns the current binding of the key. Returns undefined if the key is not bound. */
  async current(): Promise<StoredBinding | undefined> {
    return this.#storage.load();
  }

  /**
   * Binds the key until `expiresAt` (Unix milliseconds). Returns false if the key is bound to another payment, unless
   * that binding has the version `replacedVersion`.
   */
  async bind({ payment, chain, fingerprint }: Binding, expiresAt: number, replacedVersion: number): Promise<boolean> {
    const current = this.#storage.load();
    if (current && current.payment !== payment && current.version !== replacedVersion) return false;
    this.#storage.save({ payment, chain, fingerprint, version: (current?.version ?? 0) + 1 }, expiresAt);
    return true;
  }
}
