/** The terms of a sale, and the parts of the ledger that a sale uses. */

import type { Binding, StoredBinding } from "../ledger/keyBinding.ts";
import type { Call, Failure, PaymentStatus, StoredWork } from "../ledger/record.ts";
import type { Admission, AdmissionTerms } from "./admission.ts";

/**
 * The result of the work. It is delivered once the payment is settled. If the payment is not settled, its output is
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

/** The ledger's record of one payment: a `LedgerEntry`, called directly or through a Durable Object stub. */
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

/** The terms of one sale: one payment for one piece of work. */
export interface SaleTerms<T> extends AdmissionTerms {
  ledger: LedgerBook;
  /** The result of `admit`. If it names no facilitator, the payment is verified when it is claimed. */
  admitted?: Admission;
  /** Identifies the request. */
  fingerprint: string;
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
  /** Does the work. Called at most once per call, and only after the payment was verified and claimed. */
  work(): Promise<WorkResult<T>>;
  /**
   * Converts errors of the work to text and back. A call that waits for another call's work can then report its error.
   * `write` returns undefined for an error that concerns only its own call; a waiting call then does the work itself.
   */
  errors: { write(error: unknown): string | undefined; read(text: string): Error };
}
