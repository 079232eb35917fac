/** The limits of the service that no setting changes. */

/** Rate limits per address and minute. wrangler.toml must have the same values. */
export const RATE_LIMITS = { unpaidCalls: 120, wrongTokens: 30 } as const;
/**
 * Limit of refused payments per address, as a leaky bucket. `capacity` is the number of refused payments after which
 * the address is throttled. One refused payment is forgotten every `leakMs` milliseconds.
 */
export const REFUSED_PAYMENTS = { capacity: 10, leakMs: 5000 } as const;
/** Limit of verified but unused payments per payer, as a leaky bucket. A payment is unused if its call failed. */
export const UNUSED_PAYMENTS = { capacity: 30, leakMs: 2000 } as const;

/**
 * Limits of uploads. An upload counts until it expires after an hour, so each limit on simultaneous uploads is also a
 * limit per hour.
 */
export const UPLOADS = {
  /** Lifetime of an upload, in seconds. */
  seconds: 3600,
  /** Maximum size of a free upload, in bytes. */
  freeBytes: 10_000_000,
  /** Limits of the free uploads that an address has at the same time: their number and their total size in bytes. */
  free: { slots: 5, bytes: 50_000_000 },
  /** Maximum number of uploads that a payer has at the same time. */
  payerSlots: 100,
  /** Maximum number of bytes received in failed attempts to send a file, as a multiple of the upload's size. */
  maxFailedSizes: 2,
  /** Length of a part in bytes. R2 requires parts of equal length, except the last one, of at least 5 MiB. */
  partBytes: 32_000_000,
  /** Size in bytes above which curl, the upload page and the client send a file in parts. */
  wholeBytes: 50_000_000,
} as const;

/** Limits of payment links. */
export const PAYMENT_LINKS = {
  /** Lifetime of a payment link, in seconds. */
  seconds: 3600,
  /** Maximum size of the request for a payment link, in bytes. */
  requestBytes: 16 * 1024,
  /** Limits of the payment links that an address has at the same time: their number and their total size in bytes. */
  free: { slots: 20, bytes: 1_000_000 },
  /** Maximum size of an uploaded file that a payment page reads for its preview, in bytes. */
  previewBytes: 10_000_000,
  /** Number of times that the pages of payment links can read one upload. */
  previewReads: 5,
} as const;

/** Maximum number of bytes of a request or message that are read before its payer is known. */
export const UNPAID_MESSAGE_BYTES = 256 * 1024;
