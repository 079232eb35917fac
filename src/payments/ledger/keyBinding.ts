/** Idempotency keys: each is bound to the payment made under it, and to the request that this payment was made for. */
import type { Network } from "../wire/networks.ts";

/** The payment and the request that a payer's key is bound to. */
export interface Binding {
  /** See `paymentKey`. */
  payment: string;
  /** The chain of the payment. */
  chain: Network;
  /** Identifies the request. */
  fingerprint: string;
}

/** A binding as stored. The version counts the bindings made under the key. */
export type StoredBinding = Binding & { version: number };

/** Returns the name of the object that stores a payer's key. The name contains only the key's hash. */
export async function keyNameOf(payer: string, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `key:${payer.toLowerCase()}:${new Uint8Array(digest).toHex()}`;
}

interface BindingStorage {
  load(): StoredBinding | undefined;
  /** Stores the binding until `expiresAt`, Unix milliseconds. */
  save(binding: StoredBinding, expiresAt: number): void;
}

/**
 * One key of one payer. At most one payment settles under a key, because of two rules:
 * - A call settles a payment under a key only after it has claimed the payment and then bound the key to it.
 * - A key moves to another payment only if its binding has not changed since the caller read it, and after
 *   `LedgerEntry.invalidateClaims` has ruled out that the old payment settles.
 */
export class KeyBinding {
  readonly #storage: BindingStorage;

  constructor(storage: BindingStorage) {
    this.#storage = storage;
  }

  /** Returns the current binding. */
  async current(): Promise<StoredBinding | undefined> {
    return this.#storage.load();
  }

  /**
   * Binds the key until `expiresAt`, Unix milliseconds. Returns false if the key is bound to another payment, unless
   * that binding has the version `replacedVersion`.
   */
  async bind({ payment, chain, fingerprint }: Binding, expiresAt: number, replacedVersion: number): Promise<boolean> {
    const current = this.#storage.load();
    if (current && current.payment !== payment && current.version !== replacedVersion) return false;
    this.#storage.save({ payment, chain, fingerprint, version: (current?.version ?? 0) + 1 }, expiresAt);
    return true;
  }
}
