/** What an idempotency key stands for: the payment made under it, and the request that this was made for. */
import type { Network } from "../wire/networks.ts";

/** The payment and request that a key of a payer stands for. */
export interface Binding {
  /** See `paymentKey`. */
  payment: string;
  /** The chain that it is made on. */
  chain: Network;
  /** Identifies the request. */
  fingerprint: string;
}

/** A binding as it is kept: each one made under a key has a number of its own. */
export type Bound = Binding & { version: number };

/** Returns the name of the object that a payer's key is bound in. It does not tell the key. */
export async function keyNameOf(payer: string, key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return `key:${payer.toLowerCase()}:${new Uint8Array(digest).toHex()}`;
}

/** Where bindings are kept, and when they end. */
interface BindingStorage {
  load(): Bound | undefined;
  /** Keeps the binding until `forgetAt`, Unix milliseconds. */
  save(bound: Bound, forgetAt: number): void;
}

/**
 * One key of one payer. A payment is settled under a key only by a call that has bound the key to it after claiming it;
 * and the key goes over to another payment only from the very binding that was found, once no claim made by then can settle
 * the old payment any more (`LedgerEntry.abandon`). So of two payments under one key at most one moves.
 */
export class KeyBinding {
  readonly #storage: BindingStorage;

  constructor(storage: BindingStorage) {
    this.#storage = storage;
  }

  /** Returns what the key is bound to. */
  async bound(): Promise<Bound | undefined> {
    return this.#storage.load();
  }

  /**
   * Binds the key until `forgetAt`. Returns false if it is bound to another payment, unless by the binding of number
   * `instead`.
   */
  async bind({ payment, chain, fingerprint }: Binding, forgetAt: number, instead: number): Promise<boolean> {
    const bound = this.#storage.load();
    if (bound && bound.payment !== payment && bound.version !== instead) return false;
    this.#storage.save({ payment, chain, fingerprint, version: (bound?.version ?? 0) + 1 }, forgetAt);
    return true;
  }
}
