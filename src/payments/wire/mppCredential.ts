/**
 * Reads credentials of the HTTP authentication scheme "Payment" (MPP). A credential holds the challenge that it answers
 * and an EIP-3009 authorization, so it becomes a payment of x402 version 2 without another signature.
 */

import { keccak256, stringToBytes } from "viem/utils";
import * as z from "zod";
import { isIssued, PAYMENT_SCHEME, realmOf, sha256In } from "./mppChallenge.ts";
import { CredentialRefused, type MppProblemType } from "./mppProblem.ts";
import type { Offer } from "./offer.ts";
import { firstFault, payloadMessage } from "./payloadMessages.ts";
import { type PaymentPayload, readPaymentPayload } from "./paymentPayload.ts";
import { chargeRequests } from "./renderings.ts";

const MAX_ENCODED_LENGTH = 8192;

const text = z.string();
/**
 * The credential's JSON (draft-httpauth-payment-02, "Credentials"). Fields that are not listed here are checked
 * together with the payment.
 */
const credential = z.looseObject({
  challenge: z.looseObject({
    id: text.min(1),
    realm: text,
    method: text,
    intent: text,
    request: text,
    expires: z.iso.datetime(),
    digest: text.default(""),
    opaque: text.default(""),
  }),
  payload: z.looseObject({ type: text }),
  source: text.optional(),
});

/** The fields of the payload that were signed (draft-evm-charge-01, "Authorization Payload"). */
const SIGNED_FIELDS = ["from", "to", "value", "validAfter", "validBefore", "nonce"];

/** A payment that was sent as an MPP credential. */
export interface MppPayment {
  payment: PaymentPayload;
  /** Id of the challenge that the credential answers. */
  challengeId: string;
  /** SHA-256 that the request body must have, in hexadecimal; undefined if the challenge has no digest. */
  bodySha256: string | undefined;
}

/**
 * Returns the payment in the value of an `Authorization` header. The challenge may have expired. The authorization has
 * then expired too, so the payment is useful only if the ledger knows it.
 * @param key the secret of the deployment's challenges
 * @throws CredentialRefused if the credential is malformed, was not made for a challenge of this resource and
 * deployment, or authorizes a different payment than the challenge
 * @throws PaymentRequired with the reason why the payment does not match the offer
 */
export function readCredential(header: string, offer: Offer, key: Uint8Array): MppPayment {
  const refuse = (type: MppProblemType, reason: string) => new CredentialRefused(offer, type, reason);
  const parsed = credential.safeParse(decode(header), { error: payloadMessage });
  if (!parsed.success) throw refuse("malformed-credential", `${firstFault(parsed.error, "The credential")}. ${FORMAT}`);
  const { challenge, payload, source } = parsed.data;
  const { id, realm, request, expires, digest } = challenge;
  const charge = chargeRequests(offer).find((offered) => offered.request === request);
  if (realm !== realmOf(offer) || !isIssued(id, challenge, offer, key))
    throw refuse(
      "invalid-challenge",
      "The challenge was not issued for this resource, or was changed. Sign a new one.",
    );
  if (!charge) throw refuse("invalid-challenge", "The terms have changed since the challenge. Sign a new one.");
  if (payload.type !== "authorization")
    throw refuse("invalid-payload", 'payload.type must be "authorization", as in credentialTypes of the challenge.');

  const { requirement } = charge;
  const { url, description } = offer.resource;
  const payment = readPaymentPayload(
    {
      x402Version: 2,
      resource: { url, description, mimeType: "application/json" },
      accepted: requirement,
      payload: {
        signature: payload.signature,
        authorization: Object.fromEntries(SIGNED_FIELDS.map((field) => [field, payload[field]])),
      },
    },
    offer,
  );
  const { from, nonce, validBefore } = payment.authorization;
  if (nonce.toLowerCase() !== keccak256(stringToBytes(id + realm)))
    throw refuse("verification-failed", "payload.nonce must be the keccak256 of the challenge's id and realm.");
  if (BigInt(validBefore) > Math.floor(Date.parse(expires) / 1000))
    throw refuse("verification-failed", "payload.validBefore must not be later than the challenge's expires.");
  if (source !== undefined && source.toLowerCase() !== `did:pkh:${requirement.network}:${from}`.toLowerCase())
    throw refuse("verification-failed", "source must be the did:pkh of payload.from.");
  return { payment, challengeId: id, bodySha256: digest === "" ? undefined : sha256In(digest) };
}

const FORMAT = `Send "${PAYMENT_SCHEME} " and base64url of a JSON object with challenge and payload.`;

/** Returns the JSON value of a header. Returns undefined if the header is too long or is not base64url of JSON. */
function decode(header: string): unknown {
  const [, encoded = ""] = /^\S+ +([\w-]+)=*$/.exec(header) ?? [];
  if (encoded.length > MAX_ENCODED_LENGTH) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { alphabet: "base64url" });
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}
