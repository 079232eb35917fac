import { ASSET, ORIGIN } from "./addresses.ts";
import type { Chain, Payment } from "./chain.ts";
import { signatureOf } from "./signatures.ts";
import type { World } from "./world.ts";

/** Additional validity in seconds that some payers add if the deployment's clock is wrong. */
const LONG_VALIDITY = 900;

/** Creates a payment on the seller's current terms, with a valid or a forged signature. */
export function sign(from: string, world: World, { payments }: Chain, forged = false): Payment {
  const number = payments.length + 1;
  const nonce = `0x${number.toString(16).padStart(64, "0")}`;
  const signature = `0x${(number * 0x1234567).toString(16).padStart(10, "5").repeat(13)}`;
  const isLong = world.clockErrorMs !== 0 && world.chance(0.5);
  const ends = Math.floor(world.now / 1000) + 300 + 120 * world.below(2) + (isLong ? LONG_VALIDITY : 0);
  const { payTo, amount } = world.terms;
  const authorization = { from, to: payTo, value: amount, validAfter: "0", validBefore: String(ends), nonce };
  const sent = { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: { signature, authorization } };
  const payment: Payment = {
    header: btoa(JSON.stringify(sent)),
    key: `eip155:84532:${ASSET}:${from}:${nonce}`,
    from,
    to: payTo,
    value: amount,
    nonce,
    signature,
    ends: ends * 1000,
    forged,
    consumed: undefined,
    isPublic: false,
    doubled: false,
  };
  payments.push(payment);
  return payment;
}

/**
 * Returns a sign-in header that proves the ownership of an address. Like the official client, uses the service's time.
 */
export function signIn(address: string, { now, clockErrorMs }: World): string {
  const message = {
    type: "eip191",
    version: "1",
    domain: new URL(ORIGIN).host,
    uri: ORIGIN,
    address,
    chainId: "eip155:84532",
    nonce: "12345678",
    issuedAt: new Date(now + clockErrorMs).toISOString(),
    signature: signatureOf(address),
  };
  return btoa(JSON.stringify(message));
}
