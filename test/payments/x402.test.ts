import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { callPaid, dataUri, IMAGE, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

/** What the official version 1 client accepts: every field, to the letter, or it pays nothing at all. */
const strictOffer = z.strictObject({
  scheme: z.literal("exact"),
  network: z.enum(["base", "base-sepolia", "polygon", "avalanche", "avalanche-fuji"]),
  maxAmountRequired: z.string().regex(/^\d+$/),
  resource: z.url(),
  description: z.string(),
  mimeType: z.string(),
  outputSchema: z.record(z.string(), z.unknown()),
  payTo: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  maxTimeoutSeconds: z.int(),
  asset: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  extra: z.record(z.string(), z.unknown()),
});
const strict402 = z.strictObject({
  x402Version: z.literal(1),
  error: z.string(),
  accepts: z.array(strictOffer).min(1),
});

const body = { file: dataUri("application/pdf", onePage), text: "PAID" };

describe("an unpaid call", () => {
  test.each([TEXT, IMAGE])("of %s gets a 402 that the strict client accepts, for 0.05 USDC", async (path) => {
    const response = await send(path, { method: "POST" });
    expect(response.status).toBe(402);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const [offer] = strict402.parse(await response.json()).accepts;
    expect(offer).toMatchObject({
      maxAmountRequired: "50000",
      network: "base-sepolia",
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      resource: `http://localhost${path}`,
      extra: { name: "USDC", version: "2" },
    });
  });

  test("gets it whatever the body", async () => {
    const response = await send(TEXT, {
      method: "POST",
      body: "x".repeat(100),
      headers: { "Content-Type": "text/plain" },
    });
    expect(response.status).toBe(402);
  });
});

interface Payload {
  x402Version: unknown;
  scheme: string;
  network: string;
  payload: { signature: string; authorization: Record<string, string> };
}

const decode = (header: string) => JSON.parse(atob(header)) as Payload;
const encode = (payload: unknown) => btoa(JSON.stringify(payload));
const now = () => Math.floor(Date.now() / 1000);

/** Signs with the offer altered, so that the signature is good and only the named thing is wrong. */
const signedFor = (change: Partial<Offer>) => async (offer: Offer) => signPayment({ ...offer, ...change });
/** Alters a good payment after signing. */
const altered = (change: (payload: Payload) => unknown) => async (offer: Offer) => {
  const payload = decode(await signPayment(offer));
  return encode(change(payload) ?? payload);
};
const authorization = (fields: Record<string, unknown>) =>
  altered((payload) => void Object.assign(payload.payload.authorization, fields));

describe("a payment that is not right gets a 402 with the reason, and the offer again", () => {
  test.each<[string, (offer: Offer) => Promise<string>, RegExp]>([
    ["empty", async () => "", /invalid_payload/],
    ["not base64", async () => "%%%", /invalid_payload/],
    ["not JSON", async () => btoa("hello"), /invalid_payload/],
    ["not UTF-8", async () => btoa("\xff\xfe{}"), /invalid_payload/],
    ["JSON null", async () => btoa("null"), /invalid_payload/],
    ["JSON array", async () => btoa("[]"), /invalid_payload/],
    ["JSON number", async () => btoa("1"), /invalid_payload/],
    ["longer than 8 KB", async () => btoa("x".repeat(9000)), /invalid_payload.*8192/],
    ["no fields", async () => encode({}), /invalid_payload: x402Version/],
    [
      "version 3",
      altered((p) => {
        p.x402Version = 3;
      }),
      /invalid_payload: x402Version/,
    ],
    [
      "version as text",
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
      "signature of odd length",
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
        p.payload.signature = p.payload.signature.replace(/^0x../, "0x11");
      }),
      /signature/,
    ],
    ["from too short", authorization({ from: "0x12" }), /authorization\.from/],
    ["from missing", authorization({ from: undefined }), /authorization\.from/],
    ["another payer", authorization({ from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" }), /signature/],
    ["to missing", authorization({ to: undefined }), /authorization\.to/],
    ["nonce too short", authorization({ nonce: "0x01" }), /authorization\.nonce/],
    ["another nonce", authorization({ nonce: `0x${"00".repeat(32)}` }), /signature/],
    ["value a number", authorization({ value: 50000 }), /authorization\.value/],
    ["value negative", authorization({ value: "-50000" }), /authorization\.value/],
    ["value fractional", authorization({ value: "0.05" }), /authorization\.value/],
    ["value hexadecimal", authorization({ value: "0xc350" }), /authorization\.value/],
    ["value endless", authorization({ value: "9".repeat(400) }), /authorization\.value/],
    ["too little", signedFor({ maxAmountRequired: "49999" }), /authorization_value.*50000/],
    ["too much", signedFor({ maxAmountRequired: "50001" }), /authorization_value.*50000/],
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
    ["another domain name", signedFor({ extra: { name: "USD Coin", version: "2" } }), /signature/],
    ["another domain version", signedFor({ extra: { name: "USDC", version: "1" } }), /signature/],
    ["run out", authorization({ validBefore: String(now() - 1) }), /valid_before/],
    ["about to run out", signedFor({ maxTimeoutSeconds: 3 }), /valid_before/],
    ["not valid yet", authorization({ validAfter: String(now() + 60) }), /valid_after/],
    ["a longer time than was signed", authorization({ validBefore: String(now() + 9999) }), /signature/],
  ])("%s", async (_, make, reason) => {
    const offer = await offerOf(TEXT);
    const response = await callPaid(TEXT, body, await make(offer));
    expect(response.status).toBe(402);
    expect(response.headers.get("X-PAYMENT-RESPONSE")).toBeNull();
    const answer = strict402.parse(await response.json());
    expect(answer.error).toMatch(reason);
    expect(answer.accepts).toEqual([offer]);
  });
});

describe("a payment buys one result", () => {
  test("a second, different call with it is refused", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    expect((await callPaid(TEXT, body, payment)).status).toBe(200);
    const again = await callPaid(TEXT, { ...body, text: "TWICE" }, payment);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ code: "payment_already_used" });
  });

  test("so is one whose signature and addresses are written differently", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    expect((await callPaid(TEXT, body, payment)).status).toBe(200);
    const { payload, ...rest } = decode(payment);
    const from = payload.authorization.from!.toLowerCase(),
      nonce = payload.authorization.nonce!.toUpperCase().replace("0X", "0x");
    const rewritten = encode({
      ...rest,
      payload: { ...payload, authorization: { ...payload.authorization, from, nonce } },
    });
    expect((await callPaid(TEXT, body, rewritten)).status).toBe(409);
  });

  test("of two calls at once with it, one is done", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const statuses = (await Promise.all([callPaid(TEXT, body, payment), callPaid(TEXT, body, payment)])).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([200, 409]);
  });

  test("the development facilitator serves loopback hosts only", async () => {
    for (const path of [TEXT, IMAGE]) {
      const response = await send(`https://overprint.example.com${path}`, { method: "POST" });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "not_configured" });
    }
  });

  test("nor callers from elsewhere that name a loopback host", async () => {
    const response = await send(TEXT, { method: "POST", headers: { "CF-Connecting-IP": "203.0.113.9" } });
    expect(response.status).toBe(503);
  });
});
