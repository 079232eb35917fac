import { privateKeyToAccount } from "viem/accounts";
import { DEVELOPMENT_KEY, TRANSFER_WITH_AUTHORIZATION } from "../../src/payments/facilitators/localFacilitator.ts";
import { isSolana, NETWORKS, type NetworkName } from "../../src/payments/wire/networks.ts";

/** An entry of `accepts` in a 402 answer (x402 version 1), with the fields that a payment needs. */
export interface Offer {
  resource: string;
  scheme: string;
  network: NetworkName;
  maxAmountRequired: string;
  payTo: `0x${string}`;
  maxTimeoutSeconds: number;
  asset: `0x${string}`;
  extra: { name: string; version: string };
}

/**
 * Signs a payment for an offer and returns the value of the `X-PAYMENT` header. Each payment has a new nonce, so each
 * can buy one result.
 */
export async function signPayment(offer: Offer, key: `0x${string}` = DEVELOPMENT_KEY): Promise<string> {
  const { scheme, network } = offer;
  return btoa(JSON.stringify({ x402Version: 1, scheme, network, payload: await authorize(offer, key) }));
}

/** Signs a payment as x402 version 2 and returns the value of the `PAYMENT-SIGNATURE` header. */
export async function signPaymentV2(offer: Offer, key: `0x${string}` = DEVELOPMENT_KEY): Promise<string> {
  const { scheme, network, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, extra } = offer;
  const accepted = { scheme, network: NETWORKS[network].caip2, amount, asset, payTo, maxTimeoutSeconds, extra };
  return btoa(JSON.stringify({ x402Version: 2, accepted, payload: await authorize(offer, key) }));
}

/**
 * Signs an EIP-3009 authorization to transfer the offer's amount once, as EIP-712 typed data.
 * @throws Error if the offer is for Solana
 */
async function authorize(offer: Offer, key: `0x${string}`) {
  const account = privateKeyToAccount(key);
  const network = NETWORKS[offer.network];
  if (isSolana(network)) throw new Error("this signs for EVM chains only");
  const { chainId } = network;
  const now = Math.floor(Date.now() / 1000);
  const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}` as const;
  const authorization = {
    from: account.address,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    validAfter: String(now - 60),
    validBefore: String(now + offer.maxTimeoutSeconds),
    nonce,
  };
  const signature = await account.signTypedData({
    domain: { ...offer.extra, chainId, verifyingContract: offer.asset },
    types: { TransferWithAuthorization: TRANSFER_WITH_AUTHORIZATION },
    primaryType: "TransferWithAuthorization",
    message: {
      ...authorization,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  });
  return { signature, authorization };
}

/**
 * Requests the price of an endpoint (a 402 answer) and signs a payment for its first offer.
 * @throws Error if the endpoint answers with another status than 402
 */
export async function paymentFor(endpoint: string): Promise<string> {
  const response = await fetch(endpoint, { method: "POST" });
  if (response.status !== 402)
    throw new Error(`expected 402 from ${endpoint}, got ${response.status}: ${await response.text()}`);
  const { accepts } = (await response.json()) as { accepts: Offer[] };
  return signPayment(accepts[0]!);
}

/**
 * Calls an endpoint with a payment and an idempotency key. Creates them if they are not given. Sends FormData as
 * multipart, and other values as JSON.
 */
export async function callPaid(
  endpoint: string,
  body: FormData | Record<string, unknown>,
  payment?: string,
  key: string = crypto.randomUUID(),
): Promise<Response> {
  const form = body instanceof FormData;
  return fetch(endpoint, {
    method: "POST",
    headers: {
      "X-PAYMENT": payment ?? (await paymentFor(endpoint)),
      "Idempotency-Key": key,
      ...(!form && { "Content-Type": "application/json" }),
    },
    body: form ? body : JSON.stringify(body),
  });
}
