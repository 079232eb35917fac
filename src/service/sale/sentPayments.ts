/** Reads the payments that come with a call over HTTP: x402 in two headers, or MPP in `Authorization`. */

import { createHmac } from "node:crypto";
import { announcedDigest, PAYMENT_SCHEME, paymentChallenges } from "../../payments/wire/mppChallenge.ts";
import type { MppPayment } from "../../payments/wire/mppCredential.ts";
import { BAD_REQUEST_TYPE } from "../../payments/wire/mppProblem.ts";
import type { Offer } from "../../payments/wire/offer.ts";
import { type PaymentPayload, readFirstPayment } from "../../payments/wire/paymentPayload.ts";
import type { Config } from "../../settings/config.ts";
import { Problem } from "../../shared/problems.ts";
import { oncePerConfig } from "../request/oncePerConfig.ts";
import { isOwnHost } from "../request/ownHosts.ts";

/** The payments of a call in either protocol. */
export interface SentPayments {
  /** Whether the call has a payment, well-formed or not. */
  isSent: boolean;
  /**
   * Returns the payment of the call. The function is synchronous, so that parallel calls cannot pass a throttle before
   * one of them is counted.
   * @throws PaymentRequired if the call has no usable payment
   * @throws Problem invalid_request if it has payments of both protocols
   */
  read(offer: Offer): SentPayment;
}

/** The payment of a call. Over MPP, also the challenge that the payment answers. */
type SentPayment = { payment: PaymentPayload } & Partial<MppPayment>;

/** Returns the x402 payments of a call. If a call has several payments, the first usable payment counts. */
export function x402Payments(sent: (string | object | null | undefined)[]): SentPayments {
  return {
    isSent: sent.some((payment) => payment !== null && payment !== undefined),
    read: (offer) => ({ payment: readFirstPayment(sent, offer) }),
  };
}

/** Returns the payments in the headers of a request. */
export async function paymentsOf(request: Request, config: Config): Promise<SentPayments> {
  const { headers } = request;
  const x402 = x402Payments([headers.get("PAYMENT-SIGNATURE"), headers.get("X-PAYMENT")]);
  const credential = credentialIn(request, config);
  if (credential === undefined) return x402;
  // loads the file on demand, because most isolates never get a credential
  const { readCredential } = await import("../../payments/wire/mppCredential.ts");
  return {
    isSent: true,
    read: (offer) => {
      if (x402.isSent)
        throw new Problem(
          "invalid_request",
          "The request has a payment in Authorization and another one in PAYMENT-SIGNATURE or X-PAYMENT. Nothing was charged. Send one of them.",
          { type: BAD_REQUEST_TYPE },
        );
      return readCredential(credential, offer, challengeKeyOf(config)!);
    },
  };
}

/**
 * Returns the value of an `Authorization` header with a payment. Returns undefined without such a header, or if the
 * deployment accepts no MPP payments. Ignores credentials of other schemes, because a paid call needs no other
 * credentials.
 */
export function credentialIn(request: Request, config: Config): string | undefined {
  const header = request.headers.get("Authorization");
  if (header === null || !isPayableWithMpp(request, config)) return undefined;
  return header.split(" ", 1)[0]!.toLowerCase() === PAYMENT_SCHEME.toLowerCase() ? header : undefined;
}

/**
 * Returns the challenges for the 402 of a request (`WWW-Authenticate`), the preferred one first. The list is empty if
 * the deployment accepts no MPP payments for this offer.
 */
export function challengesFor(offer: Offer, request: Request, config: Config): string[] {
  if (!isPayableWithMpp(request, config)) return [];
  return paymentChallenges(
    offer,
    challengeKeyOf(config)!,
    announcedDigest(request.headers.get("Content-Digest")),
    Date.now(),
  );
}

/** Returns whether a deployment accepts MPP payments. */
export function takesMpp(config: Config): boolean {
  return challengeKeyOf(config) !== undefined;
}

/** Returns whether a request can be paid for over MPP. Challenges are never issued in the name of a foreign host. */
function isPayableWithMpp(request: Request, config: Config): boolean {
  return takesMpp(config) && isOwnHost(request, config);
}

const challengeKeys = oncePerConfig(({ receiptKey, facilitators }) => {
  if (receiptKey === undefined && facilitators.length > 0) return { key: undefined };
  // Without facilitators, no money moves, so the input of the HMAC need not be secret.
  const secret = receiptKey === undefined ? "development" : Uint8Array.fromHex(receiptKey.slice(2));
  return { key: createHmac("sha256", secret).update("ids of MPP challenges").digest() };
});

/** Returns the secret of a deployment's challenges. Returns undefined if the deployment accepts no MPP payments. */
function challengeKeyOf(config: Config): Uint8Array | undefined {
  return config.mpp ? challengeKeys(config).key : undefined;
}
