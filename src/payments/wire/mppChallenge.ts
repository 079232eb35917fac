/**
 * Challenges of the HTTP authentication scheme "Payment" (MPP: draft-httpauth-payment-02), for the method "evm" and the
 * intent "charge" (draft-evm-charge-01). A challenge is one more form of an {@link Offer}. No state is stored: the id
 * of a challenge is an HMAC of its parameters.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Offer } from "./offer.ts";
import { chargeRequests, MPP_INTENT, MPP_METHOD } from "./renderings.ts";

/** Name of the authentication scheme. */
export const PAYMENT_SCHEME = "Payment";

/**
 * Time that a payer has to sign a challenge, in seconds. The lifetime of a challenge includes this time, because the
 * validity of an authorization starts with the challenge. x402 clients count from the signature instead.
 */
const SIGNING_SECONDS = 60;

/** Beginning of a digest (RFC 9530). The SHA-256 in base64 and a colon follow (byte sequence of RFC 8941). */
const DIGEST_START = "sha-256=:";

/**
 * Length in bytes of the random prefix of an id. Because of the prefix, two challenges of the same second have
 * different nonces.
 */
const SALT_BYTES = 12;

/** The parameters on which a challenge's id depends, as they appear in the header. A missing parameter is empty. */
export interface BoundParameters {
  realm: string;
  method: string;
  intent: string;
  /** The charge request, as base64url of canonical JSON (RFC 8785). */
  request: string;
  /** Expiry time in the format of RFC 3339. */
  expires: string;
  /** Digest of the request body (RFC 9530). */
  digest: string;
  opaque: string;
}

/** Returns the protection space of an offer's challenges: the host name of its resource. */
export function realmOf({ resource }: Offer): string {
  return new URL(resource.url).hostname;
}

/**
 * Returns the challenges for the header `WWW-Authenticate`: one challenge for each way to pay.
 * @param key the secret of the deployment's challenges
 * @param digest the digest of the request body that the caller has announced; empty if the caller has announced none
 * @param now current time in Unix milliseconds
 */
export function paymentChallenges(offer: Offer, key: Uint8Array, digest: string, now: number): string[] {
  const lifetime = 1000 * (offer.maxTimeoutSeconds + SIGNING_SECONDS);
  const expires = new Date(1000 * Math.floor((now + lifetime) / 1000)).toISOString();
  return chargeRequests(offer).map(({ request }) => {
    const [realm, method, intent] = [realmOf(offer), MPP_METHOD, MPP_INTENT];
    const id = challengeId({ realm, method, intent, request, expires, digest, opaque: "" }, offer, key);
    const shown = { id, realm, method, intent, request, expires, ...(digest && { digest }) };
    const parameters = Object.entries(shown).map(([name, value]) => `${name}="${value}"`);
    return `${PAYMENT_SCHEME} ${parameters.join(", ")}`;
  });
}

/** Returns the SHA-256 in the `digest` of an issued challenge, in hexadecimal. */
export function sha256In(digest: string): string {
  return Uint8Array.fromBase64(digest.slice(DIGEST_START.length, -1)).toHex();
}

/**
 * Returns the digest for a challenge: the SHA-256 in a `Content-Digest` header (RFC 9530), or an empty string without
 * such a digest. The service does not read a long body without a payment, so only the caller can name the digest.
 */
export function announcedDigest(header: string | null): string {
  return /(?:^|,)\s*(sha-256=:[A-Za-z0-9+/]{43}=:)/.exec(header ?? "")?.[1] ?? "";
}

/** Returns whether a challenge with these parameters was issued with this key for the resource of `offer`. */
export function isIssued(id: string, bound: BoundParameters, offer: Offer, key: Uint8Array): boolean {
  const salt = Buffer.from(id, "base64url").subarray(0, SALT_BYTES);
  const [sent, own] = [Buffer.from(id), Buffer.from(challengeId(bound, offer, key, salt))];
  return sent.length === own.length && timingSafeEqual(sent, own);
}

/**
 * Returns a challenge's id: a random salt, and an HMAC-SHA256 of the salt, the parameters in the order of the draft
 * ("Recommended: HMAC-SHA256 Binding") and the resource's path. A challenge is therefore valid for one route only.
 */
function challengeId(
  bound: BoundParameters,
  { resource }: Offer,
  key: Uint8Array,
  salt = randomBytes(SALT_BYTES),
): string {
  const { realm, method, intent, request, expires, digest, opaque } = bound;
  const slots = [realm, method, intent, request, expires, digest, opaque, new URL(resource.url).pathname];
  const mac = createHmac("sha256", key).update(salt).update(slots.join("|")).digest();
  return Buffer.concat([salt, mac]).toString("base64url");
}
