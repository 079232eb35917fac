import { readConfig } from "../../src/config.ts";
import { offerOf } from "../../src/payments/offer.ts";
import { type Payment, readPayment } from "../../src/payments/payment.ts";

/** What the tests sell. */
export const OFFER = offerOf(
  { url: "https://overprint.example.com/v1/watermark/text", description: "", outputSchema: {}, bazaar: {} },
  readConfig({
    PAY_TO: "0x00000000000000000000000000000000000000aa",
    FACILITATOR_URL: "https://facilitator.example.com",
  }),
);

/** A payment as read, whose signature nobody checks: quick to make. */
export async function paymentFrom({ validBefore }: { validBefore?: number | undefined } = {}): Promise<Payment> {
  const authorization = {
    from: `0x${"01".repeat(20)}`,
    to: OFFER.v1[0]!.payTo,
    value: "50000",
    validAfter: "0",
    validBefore: String(validBefore ?? Math.floor(Date.now() / 1000) + 300),
    nonce: `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}`,
  };
  const payload = { signature: `0x${"02".repeat(65)}`, authorization };
  return readPayment({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload }, OFFER);
}

/** How often a facilitator of the tests has been asked to settle. */
export async function askedToSettle(facilitator: string): Promise<number | undefined> {
  const counted = await fetch(`${facilitator}/count`, { method: "POST", body: "{}" });
  return (await counted.json<{ settle?: number }>()).settle;
}
