/** The earlier payment to which an idempotency key is bound. */

import type { Binding, StoredBinding } from "../ledger/keyBinding.ts";
import type { PaymentStatus } from "../ledger/record.ts";
import { keyReused, orInProgress } from "./answers.ts";
import type { SaleTerms } from "./saleTerms.ts";

/** Thrown if the ledger has changed since a call looked up its key. The call then starts again with a new look-up. */
export class LedgerChanged extends Error {
  override name = "LedgerChanged";
}

/** The parts of a sale's terms that the functions of this file use. */
type KeyTerms = Pick<SaleTerms<unknown>, "ledger" | "fingerprint" | "workMs" | "linkTtlMs" | "now">;

/**
 * Returns the status of the earlier payment under the caller's key, if that payment determines the outcome of this
 * call. Returns undefined if the earlier payment can no longer be settled for its request. The call then uses its own
 * payment.
 * @param until time until which the call waits for the earlier payment, Unix milliseconds
 * @throws PaymentError idempotency_key_reused if the earlier payment was made for another request
 * @throws LedgerChanged if the earlier payment's status has changed meanwhile
 */
export async function statusUnderKey(
  earlier: StoredBinding,
  { ledger, fingerprint, now }: KeyTerms,
  until: number,
): Promise<PaymentStatus | undefined> {
  const record = ledger.getByName(earlier.payment);
  const isSameRequest = earlier.fingerprint === fingerprint;
  const waitUntil = isSameRequest ? until : now();
  const found = await orInProgress(record.waitForStatus(earlier.fingerprint, waitUntil, true));

  const isRefused = found.status === "failed" && "reason" in found.failure;
  if (isRefused || ["free", "reserved", "spent"].includes(found.status)) {
    if (await orInProgress(record.invalidateClaims(earlier.fingerprint))) return undefined;
    if (found.status !== "spent") throw new LedgerChanged();
  }
  if (!isSameRequest) throw keyReused();
  return found;
}

/**
 * Binds the key that is stored under `name` to the payment of `binding`.
 * @param replacedVersion the version of a binding to another payment that may be replaced
 * @returns false if the key is bound to another payment, and the version of that binding is not `replacedVersion`
 */
export function bindKey(
  name: string,
  binding: Binding,
  { ledger, workMs, linkTtlMs, now }: KeyTerms,
  replacedVersion = 0,
): Promise<boolean> {
  // The lifetime of the link starts after the work. The work may exceed its limit, so twice the limit is added.
  const expiresAt = now() + 2 * workMs + linkTtlMs;
  return orInProgress(ledger.getByName(name).bind(binding, expiresAt, replacedVersion));
}
