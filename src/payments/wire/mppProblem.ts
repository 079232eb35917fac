import { type Offer, PaymentRequired } from "./offer.ts";

/** Titles of the problem types for refused credentials (draft-httpauth-payment-02, "Error Codes"). */
export const MPP_PROBLEMS = {
  "malformed-credential": "The credential is malformed",
  "invalid-payload": "The credential's payload is invalid",
  "invalid-challenge": "The challenge is invalid",
  "payment-expired": "The challenge or the authorization has expired",
  "verification-failed": "The payment was not accepted",
} as const;

/** A name of a problem type in {@link MPP_PROBLEMS}. */
export type MppProblemType = keyof typeof MPP_PROBLEMS;

/** The problem type of the MPP draft for a call that is refused with a status other than 402. */
export const BAD_REQUEST_TYPE = problemUri("bad-request");

/**
 * A refusal with 402. Either the credential is not valid for its challenge, or this deployment has not issued the
 * challenge.
 */
export class CredentialRefused extends PaymentRequired {
  override name = "CredentialRefused";
  readonly type: MppProblemType;

  constructor(offer: Offer, type: MppProblemType, reason: string) {
    super(offer, reason);
    this.type = type;
  }
}

/** Creates the refusal of a call whose body does not match the digest in its challenge. */
export function otherBody(offer: Offer): PaymentRequired {
  return new CredentialRefused(
    offer,
    "invalid-challenge",
    "The digest of the challenge is not the digest of the body. Nothing was charged. Sign a new challenge for this body.",
  );
}

/** Problem types of refusals, by the beginning of the x402 reason. */
const TYPES_BY_REASON: [string, MppProblemType][] = [
  ["invalid_payload", "invalid-payload"],
  ["payment_already_used", "invalid-challenge"],
  ["invalid_exact_evm_payload_authorization_valid_before", "payment-expired"],
];

/** Returns the problem document (RFC 9457) for a refused credential. */
export function refusedCredential(error: PaymentRequired, requestId: string) {
  const known = TYPES_BY_REASON.find(([reason]) => error.reason.startsWith(reason))?.[1];
  const type = error instanceof CredentialRefused ? error.type : (known ?? "verification-failed");
  const { reason: detail } = error;
  return { type: problemUri(type), title: MPP_PROBLEMS[type], status: 402, detail, request_id: requestId };
}

/** Returns the URI of a problem type of the MPP draft. */
export function problemUri(type: string): string {
  return `https://paymentauth.org/problems/${type}`;
}
