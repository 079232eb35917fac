/** The terms of a sale, and the parts of the ledger that a sale uses. */

import type { Binding, StoredBinding } from "../ledger/keyBinding.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "../ledger/record.ts";
import type { Admission, AdmissionTerms } from "./admission.ts";

/**
 * The result of the work. It is delivered once the payment is settled. If the payment is not settled, the output is
 * deleted.
 */
export interface WorkResult<T> {
  /** The value to deliver, as JSON data. */
  value: T;
  /** Id of the output in storage. */
  output: string;
  expiresAt: Date;
  /** Facts about the work for the log, such as pages and bytes. */
  facts: Readonly<Record<string, number>>;
}

/** The ledger's record of one payment. Implemented by `LedgerEntry`, or by a Durable Object stub that calls it. */
export interface LedgerRecord {
  waitForStatus(fingerprint: string, until: number, isPayerProven: boolean): Promise<PaymentStatus>;
  invalidateClaims(fingerprint: string): Promise<boolean>;
  claim(call: Call, leaseMs: number, until: number): Promise<PaymentStatus>;
  release(claim: string, failure: Failure | undefined): Promise<void>;
  settle(claim: string, work: StoredWork): Promise<PaymentStatus | undefined>;
}

/**
 * Access to the ledger's records by the name of a payment or key. The Durable Object namespace implements this
 * interface.
 */
export interface LedgerBook {
  getByName(name: string): LedgerRecord & {
    binding(): Promise<StoredBinding | undefined>;
    bind(binding: Binding, expiresAt: number, replacedVersion: number): Promise<boolean>;
  };
}

/** The part of a request's default key that the work uses. */
export interface RequestKey {
  /**
   * Begins to bind the key to this call's payment.
   * @param digest see `SaleTerms.knownDigest`
   */
  bind(digest: string): void;
  /** Whether another payment holds the key. The work then awaits {@link bound} before it stores its output. */
  readonly isContested: boolean;
  /**
   * Resolves once the key is bound. Rejects if another payment has bought the same content. The work must then delete
   * its output and throw the same error.
   */
  readonly bound: Promise<void>;
}

/** The terms of one sale: one payment for one piece of work. */
export interface SaleTerms<T> extends AdmissionTerms {
  ledger: LedgerBook;
  /** The result of `admit`. If the result names no facilitator, the payment is verified when it is claimed. */
  admitted?: Admission;
  /** Identifies the request that the payment pays for. */
  fingerprint: string;
  /**
   * Whether the default key applies. If another payment of the payer has bought the same content within `REPEAT_MS`,
   * the call then gets that earlier result. False if the caller has chosen an idempotency key, or if the deployment
   * sets `DEFAULT_KEY=false`.
   */
  hasDefaultKey: boolean;
  /**
   * The digest of the request's content (operation, fields and bytes of the files), if it is known before the work.
   * Undefined if the work has to fetch a file first.
   */
  knownDigest?: string | undefined;
  /**
   * Upper bound for the work, in milliseconds. A claim's lease has this duration, so the payment becomes free again if
   * the call dies.
   */
  workMs: number;
  /**
   * Lifetime of the result's link, in milliseconds. The idempotency key stays bound to its payment for at least this
   * time.
   */
  linkTtlMs: number;
  /**
   * Does the work. Called at most once per call, and only after the payment was verified and claimed.
   * @param defaultKey the request's default key, which the work must bind; undefined if no default key applies
   */
  work(defaultKey: RequestKey | undefined): Promise<WorkResult<T>>;
  /**
   * Converts errors of the work to text and back. A call that waits for the work of another call can thus report the
   * error of that work. `write` returns undefined for an error that concerns only its own call; a waiting call then
   * does the work itself.
   */
  errors: { write(error: unknown): string | undefined; read(text: string): Error };
}
