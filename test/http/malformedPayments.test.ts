import { describe, expect, test } from "vitest";
import { type Offer, signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { callPaid, dataUri, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { decodeHeader, strict402, termsV2 } from "../support/x402.ts";

const body = { file: dataUri("application/pdf", onePage), text: "PAID" };

interface Payload {
  x402Version: unknown;
  scheme: string;
  network: string;
  payload: { signature: string; authorization: Record<string, string> };
}

const decode = (header: string) => JSON.parse(atob(header)) as Payload;
const encode = (payload: unknown) => btoa(JSON.stringify(payload));
const now = () => Math.floor(Date.now() / 1000);

/** Changes an offer and signs a payment for it. The signature is valid, and only the changed field is wrong. */
const signedFor = (change: Partial<Offer>) => async (offer: Offer) => signPayment({ ...offer, ...change });
/** Changes a valid payment after it was signed. */
const altered = (change: (payload: Payload) => unknown) => async (offer: Offer) => {
  const payload = decode(await signPayment(offer));
  return encode(change(payload) ?? payload);
};
const authorization = (fields: Record<string, unknown>) =>
  altered((payload) => void Object.assign(payload.payload.authorization, fields));

interface PayloadV2 {
  accepted: object;
  payload: { authorization: object };
}
const accepting = (fields: object) => (p: PayloadV2) => ({ ...p, accepted: { ...p.accepted, ...fields } });
const signing = (fields: object) => (p: PayloadV2) => ({ ...p, payload: { ...p.payload, ...fields } });
const authorizing = (fields: object) => (p: PayloadV2) => ({
  ...p,
  payload: { ...p.payload, authorization: { ...p.payload.authorization, ...fields } },
});
const identified = (id: unknown) => (p: PayloadV2) => ({
  ...p,
  extensions: { "payment-identifier": { info: { id } } },
});

describe("answers an invalid payment with a 402 that has the reason and the offer", () => {
  test.each<[string, (offer: Offer) => Promise<string>, RegExp]>([
    ["empty", async () => "", /invalid_payload/],
    ["not base64", async () => "%%%", /invalid_payload/],
    ["not JSON", async () => btoa("hello"), /invalid_payload/],
    ["not UTF-8", async () => btoa("\xff\xfe{}"), /invalid_payload/],
    ["JSON null", async () => btoa("null"), /invalid_payload/],
    ["JSON array", async () => btoa("[]"), /invalid_payload/],
    ["JSON number", async () => btoa("1"), /invalid_payload/],
    ["longer than 8 KB", async () => btoa("x".repeat(9000)), /invalid_payload: .*8192/],
    ["no fields", async () => encode({}), /invalid_payload: x402Version/],
    [
      "version 3",
      altered((p) => {
        p.x402Version = 3;
      }),
      /invalid_payload: x402Version/,
    ],
    [
      "version as a string",
      altered((p) => {
        p.x402Version = "1";
      }),
      /invalid_payload: x402Version/,
    ],
    ["no payload", altered((p) => ({ ...p, payload: undefined })), /invalid_payload: payload/],
    [
      "no authorization",
      altered((p) => ({ ...p, payload: { signature: p.payload.signature } })),
      /payload\.authorization/,
    ],
    [
      "no signature",
      altered((p) => ({ ...p, payload: { authorization: p.payload.authorization } })),
      /payload\.signature/,
    ],
    [
      "signature not hexadecimal",
      altered((p) => {
        p.payload.signature = "0xzz";
      }),
      /payload\.signature/,
    ],
    [
      "signature with an odd number of digits",
      altered((p) => {
        p.payload.signature = "0xabc";
      }),
      /payload\.signature/,
    ],
    [
      "signature too short",
      altered((p) => {
        p.payload.signature = "0xab";
      }),
      /signature/,
    ],
    [
      "signature of zeros",
      altered((p) => {
        p.payload.signature = `0x${"0".repeat(130)}`;
      }),
      /signature/,
    ],
    [
      "signature of another message",
      altered((p) => {
        p.payload.signature = p.payload.signature.replace(/^0x../, (begins) => (begins === "0x11" ? "0x12" : "0x11"));
      }),
      /signature/,
    ],
    ["from too short", authorization({ from: "0x12" }), /authorization\.from/],
    ["from missing", authorization({ from: undefined }), /authorization\.from/],
    ["another payer", authorization({ from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }), /signature/],
    ["to missing", authorization({ to: undefined }), /authorization\.to/],
    ["nonce too short", authorization({ nonce: "0x01" }), /authorization\.nonce/],
    ["another nonce", authorization({ nonce: `0x${"00".repeat(32)}` }), /signature/],
    ["value as a number", authorization({ value: 50000 }), /authorization\.value/],
    ["value negative", authorization({ value: "-50000" }), /authorization\.value/],
    ["value fractional", authorization({ value: "0.05" }), /authorization\.value/],
    ["value hexadecimal", authorization({ value: "0xc350" }), /authorization\.value/],
    ["value too long", authorization({ value: "9".repeat(400) }), /authorization\.value/],
    ["value below the price", signedFor({ maxAmountRequired: "49999" }), /authorization_value.*50000/],
    ["value above the price", signedFor({ maxAmountRequired: "50001" }), /authorization_value.*50000/],
    ["another recipient", signedFor({ payTo: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }), /recipient_mismatch/],
    [
      "another scheme",
      altered((p) => {
        p.scheme = "upto";
      }),
      /unsupported_scheme/,
    ],
    ["another network", signedFor({ network: "base" }), /invalid_network/],
    [
      "an unknown network",
      altered((p) => {
        p.network = "eip155:84532";
      }),
      /invalid_network/,
    ],
    ["another token", signedFor({ asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" }), /signature/],
    ["another EIP-712 domain name", signedFor({ extra: { name: "USD Coin", version: "2" } }), /signature/],
    ["another EIP-712 domain version", signedFor({ extra: { name: "USDC", version: "1" } }), /signature/],
    ["expired", authorization({ validBefore: String(now() - 1) }), /valid_before/],
    ["about to expire", signedFor({ maxTimeoutSeconds: 3 }), /valid_before/],
    ["not valid yet", authorization({ validAfter: String(now() + 60) }), /valid_after/],
    ["valid for two days", signedFor({ maxTimeoutSeconds: 172_800 }), /valid_before: .* more than 24 hours/],
    ["validity extended after signing", authorization({ validBefore: String(now() + 9999) }), /signature/],
    [
      "signed by a smart wallet that is not deployed yet (ERC-6492)",
      altered((p) => {
        p.payload.signature = `0x${"00".repeat(320)}${"6492".repeat(16)}`;
      }),
      /payload_signature: the local facilitator cannot check smart wallets/,
    ],
    [
      "signed by the owner of a smart wallet (ERC-1271)",
      authorization({ from: `0x${"ab".repeat(20)}` }),
      /payload_signature: the signature is not the payer's\. The local facilitator cannot check smart wallets/,
    ],
  ])(
    "the service answers 402 with the reason and the offer to an invalid version 1 payment: %s",
    async (_, make, reason) => {
      const offer = await offerOf(TEXT);
      const response = await callPaid(TEXT, body, await make(offer));
      expect(response.status).toBe(402);
      expect(response.headers.get("X-PAYMENT-RESPONSE")).toBeNull();
      const answer = strict402.parse(await response.json());
      expect(answer.error).toMatch(reason);
      expect(answer.accepts).toEqual([offer]);
    },
  );

  const V2_PAYLOAD: [string, (payload: PayloadV2) => unknown, RegExp][] = [
    ["version 3", (p) => ({ ...p, x402Version: 3 }), /invalid_payload: x402Version/],
    ["version missing", (p) => ({ ...p, x402Version: undefined }), /invalid_payload: x402Version/],
    ["version as a string", (p) => ({ ...p, x402Version: "2" }), /invalid_payload: x402Version/],
    ["version 1 in the format of version 2", (p) => ({ ...p, x402Version: 1 }), /invalid_payload: scheme/],
    ["an array", (p) => [p], /invalid_payload/],
    ["accepted missing", (p) => ({ ...p, accepted: undefined }), /invalid_payload: accepted/],
    ["accepted null", (p) => ({ ...p, accepted: null }), /invalid_payload: accepted/],
    ["accepted as a list", (p) => ({ ...p, accepted: [p.accepted] }), /invalid_payload: accepted/],
    ["scheme missing", accepting({ scheme: undefined }), /invalid_payload: accepted.scheme/],
    ["another scheme", accepting({ scheme: "upto" }), /unsupported_scheme/],
    ["network missing", accepting({ network: undefined }), /invalid_payload: accepted.network/],
    ["network of version 1", accepting({ network: "base-sepolia" }), /invalid_network: pay on eip155:84532/],
    ["another network", accepting({ network: "eip155:8453" }), /invalid_network/],
    ["network as a number", accepting({ network: 84532 }), /invalid_payload: accepted.network/],
    ["a lower amount", accepting({ amount: "1" }), /accepted.amount is not as offered/],
    ["amount as a number", accepting({ amount: 50000 }), /accepted.amount is not as offered/],
    ["amount missing", accepting({ amount: undefined }), /accepted.amount is not as offered/],
    ["another token", accepting({ asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" }), /accepted.asset/],
    ["token in a list", accepting({ asset: ["0x036CbD53842c5426634e7929541eC2318f3dCF7e"] }), /accepted.asset/],
    ["another recipient", accepting({ payTo: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }), /accepted.payTo/],
    ["a longer validity", accepting({ maxTimeoutSeconds: 301 }), /accepted.maxTimeoutSeconds/],
    ["extra missing", accepting({ extra: undefined }), /accepted.extra/],
    ["another EIP-712 domain", accepting({ extra: { name: "USD Coin", version: "2" } }), /accepted.extra.name/],
    ["additional field in extra", accepting({ extra: { name: "USDC", version: "2", more: 1 } }), /accepted.extra.more/],
    ["additional field in accepted", accepting({ maxAmountRequired: "50000" }), /accepted.maxAmountRequired/],
    ["payload missing", (p) => ({ ...p, payload: undefined }), /invalid_payload: payload/],
    ["a Solana payload", (p) => ({ ...p, payload: { transaction: "AQ==" } }), /invalid_payload: payload/],
    ["a Permit2 payload", (p) => ({ ...p, payload: { signature: "0x00", permit2Authorization: {} } }), /payload/],
    ["authorization missing", signing({ authorization: undefined }), /payload.authorization/],
    ["signature missing", signing({ signature: undefined }), /payload.signature/],
    ["signature not hexadecimal", signing({ signature: "0xzz" }), /payload.signature/],
    ["signature empty", signing({ signature: "0x" }), /payload.signature/],
    ["signature of zeros", signing({ signature: `0x${"0".repeat(130)}` }), /signature/],
    ["nonce too short", authorizing({ nonce: "0x01" }), /authorization.nonce/],
    ["another nonce", authorizing({ nonce: `0x${"00".repeat(32)}` }), /signature/],
    ["from not hexadecimal", authorizing({ from: "vitalik.eth" }), /authorization.from/],
    ["another payer", authorizing({ from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }), /signature/],
    [
      "another recipient in the authorization",
      authorizing({ to: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }),
      /recipient_mismatch/,
    ],
    ["value below the price", authorizing({ value: "49999" }), /authorization_value/],
    ["value above the price", authorizing({ value: "50001" }), /authorization_value/],
    ["value negative", authorizing({ value: "-1" }), /authorization.value/],
    ["value as a number", authorizing({ value: 50000 }), /authorization.value/],
    ["not valid yet", authorizing({ validAfter: String(now() + 60) }), /valid_after/],
    ["expired", authorizing({ validBefore: String(now() - 1) }), /valid_before/],
    ["expires before the call can finish", authorizing({ validBefore: String(now() + 20) }), /valid_before/],
    ["validity extended after signing", authorizing({ validBefore: String(now() + 9999) }), /signature/],
    ["extensions as a list", (p) => ({ ...p, extensions: [1] }), /extensions/],
    ["identifier too short", identified("order_1"), /payment-identifier.info.id/],
    ["identifier too long", identified("x".repeat(129)), /payment-identifier.info.id/],
    ["identifier with spaces", identified("order 1234567890 abc"), /payment-identifier.info.id/],
    ["identifier as a number", identified(1e18), /payment-identifier.info.id/],
  ];
  test.each<[string, (offer: Offer) => Promise<string>, RegExp]>([
    ["empty", async () => "", /invalid_payload/],
    ["not base64", async () => "%%%", /invalid_payload/],
    ["not JSON", async () => btoa("hello"), /invalid_payload/],
    ["not UTF-8", async () => btoa("\xff\xfe{}"), /invalid_payload/],
    ["JSON cut off", async () => btoa('{"x402Version":2,'), /invalid_payload/],
    ["null", async () => encode(null), /invalid_payload/],
    ["longer than 8 KB", async () => btoa("x".repeat(9000)), /invalid_payload: .*8192/],
    ...V2_PAYLOAD.map(([name, change, reason]): [string, (offer: Offer) => Promise<string>, RegExp] => [
      name,
      async (offer) => encode(change(JSON.parse(atob(await signPaymentV2(offer))))),
      reason,
    ]),
  ])("the service answers 402 with the reason to an invalid version 2 payment: %s", async (_, make, reason) => {
    const offer = await offerOf(TEXT);
    const payment = await make(offer);
    const response = await send(TEXT, {
      method: "POST",
      headers: { "PAYMENT-SIGNATURE": payment, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(402);
    expect(response.headers.get("PAYMENT-RESPONSE")).toBeNull();
    const terms = termsV2.parse(decodeHeader(response.headers.get("PAYMENT-REQUIRED")!));
    expect(terms.error).toMatch(reason);
    expect(strict402.parse(await response.json()).error).toBe(terms.error);
  });
});
