import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  decodeSignedOffers,
  type EIP712SignedReceipt,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  RECEIPT_TYPES,
  verifyOfferSignatureEIP712,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureEIP712,
} from "@x402/extensions/offer-receipt";
import type { TypedData } from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { recoverTypedDataAddress } from "viem/utils";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Offer, signPayment, signPaymentV2 } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { DEVELOPMENT_KEY } from "../../../src/payments/facilitators/localFacilitator.ts";
import { NETWORKS, type NetworkName } from "../../../src/payments/wire/networks.ts";
import { offerOf } from "../../../src/payments/wire/offer.ts";
import type { Delivery } from "../../../src/service/sale/products.ts";
import { provedReceipt, signedOffers } from "../../../src/service/sale/proof.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { identityOfParts, sha256 } from "../../../src/shared/sha256.ts";
import { dataUri, formOf, IMAGE, ORIGIN, TEXT } from "../../support/client.ts";
import { FEE_PAYERS } from "../../support/internet.ts";
import { onePage } from "../../support/pdf.ts";
import { RED_PNG } from "../../support/png.ts";
import { decodeHeader, strict402, termsV2 } from "../../support/x402.ts";

/** Third development key of Anvil, which is publicly known. */
const RECEIPT_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const SIGNER = privateKeyToAddress(RECEIPT_KEY);
const PAYER = privateKeyToAddress(DEVELOPMENT_KEY);
const PAY_TO = "0x00000000000000000000000000000000000000aa";

/** Hashes of the delivered files, next to the signed receipt. They are the project's own extension of the answer. */
interface SignedDelivery {
  format: string;
  payload: { inputSha256: `0x${string}`; outputSha256: `0x${string}` };
  signature: `0x${string}`;
}
const DELIVERY_TYPES: TypedData = {
  ...RECEIPT_TYPES,
  Delivery: [
    { name: "receipt", type: "Receipt" },
    { name: "inputSha256", type: "bytes32" },
    { name: "outputSha256", type: "bytes32" },
  ],
};
interface Extensions {
  "offer-receipt": { info: { receipt: EIP712SignedReceipt }; schema: object };
  "overprint-delivery": { info: SignedDelivery };
}

const bindings: Record<string, unknown> = { ...env, RECEIPT_KEY, DEFAULT_KEY: "false" };

/** Calls a deployment that signs offers and receipts by default. `settings` override its bindings. */
async function call(path: string, init: RequestInit = {}, settings = bindings, origin = ORIGIN): Promise<Response> {
  const context = createExecutionContext();
  const headers = new Headers(init.headers);
  headers.set("Host", new URL(origin).host);
  const response = await app.fetch(new Request(origin + path, { method: "POST", ...init, headers }), settings, context);
  const body = await response.bytes();
  await waitOnExecutionContext(context);
  return new Response(response.status === 204 ? null : body, response);
}

const json = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const offered = async (path = TEXT, settings = bindings) => {
  const { accepts } = await (await call(path, {}, settings)).json<{ accepts: Offer[] }>();
  return accepts[0]!;
};
const [FILE, OTHER] = [onePage, Uint8Array.of(...onePage, 10)];
const body = { file: dataUri("application/pdf", FILE), text: "PROVED" };

async function buy(request: RequestInit, { path = TEXT, settings = bindings, payment = "" } = {}) {
  const headers = new Headers(request.headers);
  headers.set("X-PAYMENT", payment || (await signPayment(await offered(path, settings))));
  return call(path, { ...request, headers }, settings);
}

const extensionsOf = (response: Response) => {
  const header = response.headers.get("PAYMENT-RESPONSE") ?? response.headers.get("X-PAYMENT-RESPONSE")!;
  return (decodeHeader(header) as { extensions?: Extensions }).extensions;
};

/** Verifies a purchase offline, as a payer would. Returns the receipt and the hashes of source and output. */
async function proved(extensions: Extensions) {
  const { receipt } = extensions["offer-receipt"].info;
  const { info } = extensions["overprint-delivery"];
  const { signer, payload } = await verifyReceiptSignatureEIP712(receipt);
  const deliverer = await recoverTypedDataAddress({
    domain: { name: "Overprint delivery", version: "1", chainId: 1 },
    types: DELIVERY_TYPES,
    primaryType: "Delivery",
    message: { receipt: payload, ...info.payload },
    signature: info.signature,
  });
  expect([info.format, signer, deliverer]).toEqual(["eip712", SIGNER, SIGNER]);
  return { payload, ...info.payload };
}

async function downloaded(response: Response) {
  const { output } = await response.clone().json<{ output: { url: string } }>();
  const { pathname, search } = new URL(output.url);
  return new Uint8Array(await (await call(pathname + search, { method: "GET" })).arrayBuffer());
}

/** Part of a sale's answer that does not depend on the payer. */
const SOLD = {
  value: {
    result: { output: { url: ORIGIN, expires_at: "", pages: 1, bytes: 1 }, operation: "watermark.text", cost: "" },
    notices: [],
    filename: "a.pdf",
    proof: { resourceUrl: ORIGIN, inputSha256: "01".repeat(32), outputSha256: "02".repeat(32) },
  } satisfies Delivery,
  isPaidEarlier: false,
};

afterEach(() => void vi.useRealTimers());

describe("offers", () => {
  test.each([TEXT, IMAGE])("offers of %s are signed, with equal signatures in both x402 versions", async (path) => {
    const response = await call(path);
    const { extensions, ...v1 } = await response.json<{ accepts: object[]; extensions: object }>();
    strict402.parse(v1);
    const v2 = decodeHeader(response.headers.get("PAYMENT-REQUIRED")!) as { accepts: object[]; extensions: object };
    const lists = [{ extensions }, v2].map((terms) => extractOffersFromPaymentRequired(terms as never));
    expect(lists[0]).toEqual(lists[1]);
    const [offer] = decodeSignedOffers(lists[1]!);
    expect(offer).toMatchObject({ resourceUrl: ORIGIN + path, network: "eip155:84532", amount: "50000" });
    expect(findAcceptsObjectFromSignedOffer(offer!, v2.accepts as never)).toEqual(v2.accepts[0]);
    expect((await verifyOfferSignatureEIP712(lists[0]![0] as never)).signer).toBe(SIGNER);
  });

  test("a signed offer is valid longer than a payment based on it, and offers are signed again after a minute", async () => {
    const began = Math.floor(Date.now() / 1000);
    const signed = async () => {
      const { extensions } = await (await call(TEXT)).json<{ extensions: object }>();
      return decodeSignedOffers(extractOffersFromPaymentRequired({ extensions } as never))[0]!;
    };
    const first = await signed();
    expect(first.validUntil).toBeGreaterThanOrEqual(began + 300);
    expect(first.validUntil).toBeLessThanOrEqual(began + 400);
    expect(await signed()).toEqual(first);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await signed()).validUntil).toBeGreaterThan(first.validUntil!);
  });

  test("a deployment with a different price signs different offers", async () => {
    const dearer = { ...bindings, PRICE: "7" };
    const amounts = await Promise.all(
      [bindings, dearer].map(async (settings) => {
        const { extensions } = await (await call(TEXT, {}, settings)).json<{ extensions: object }>();
        return decodeSignedOffers(extractOffersFromPaymentRequired({ extensions } as never))[0]!.amount;
      }),
    );
    expect(amounts).toEqual(["50000", "7000000"]);
  });

  test("the service signs only the offers of the first three networks if the header has no space for more", async () => {
    const names = Object.keys(NETWORKS).filter((name) => !name.startsWith("solana"));
    const settings = {
      ...bindings,
      PAY_TO,
      NETWORKS: names.join(),
      FACILITATOR_URL: "https://facilitator.example.com/good",
    };
    const origin = "https://a-rather-long-name-of-a-host.overprint.example.com";
    const response = await call(TEXT, { headers: { "X-PAYMENT": "x".repeat(9000) } }, settings, origin);
    const header = response.headers.get("PAYMENT-REQUIRED")!;
    const { resource, accepts, extensions } = decodeHeader(header) as Record<string, object> & { accepts: object[] };
    const offers = extractOffersFromPaymentRequired({ extensions } as never);
    expect(offers.map((offer) => findAcceptsObjectFromSignedOffer(offer, accepts as never))).toEqual(
      accepts.slice(0, 3),
    );
    const v1 = await response.json<{ extensions: object; accepts: { network: string }[] }>();
    const networks = decodeSignedOffers(extractOffersFromPaymentRequired(v1 as never)).map(
      ({ acceptIndex, network }) => [v1.accepts[acceptIndex!]!.network, network],
    );
    expect(networks).toEqual(names.slice(0, 3).map((name) => [name, NETWORKS[name as NetworkName].caip2]));

    const payload = { signature: `0x${"1".repeat(130)}`, authorization: "x".repeat(500) };
    const sentBack = btoa(JSON.stringify({ x402Version: 2, resource, accepted: accepts[0], payload, extensions }));
    expect(sentBack.length).toBeLessThan(6500);
    const bytes = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    expect(bytes).toBeLessThan(8192);
  });

  test("the service signs offers and receipts on Solana like those on other networks", async () => {
    const chain = { ...NETWORKS.solana, feePayers: { 1: FEE_PAYERS, 2: FEE_PAYERS } };
    const config = readConfig({ RECEIPT_KEY });
    const resource = { url: ORIGIN + TEXT, description: "", outputSchema: {}, bazaar: {} };
    const offer = offerOf(resource, { ...config, networks: [chain], payToSolana: FEE_PAYERS[1] });
    const { 1: v1, 2: v2 } = (await signedOffers(offer, new Request(ORIGIN), config))!;
    expect(v1).toEqual(v2);
    const [signed] = extractOffersFromPaymentRequired({ extensions: v2 } as never);
    expect(findAcceptsObjectFromSignedOffer(signed!, offer.v2 as never)).toEqual(offer.v2[0]);
    expect((await verifyOfferSignatureEIP712(signed as never)).signer).toBe(SIGNER);

    const receipt = { success: true, transaction: "5j7s", network: "solana", payer: FEE_PAYERS[0]! };
    const sold = { ...SOLD, receipt, settledAt: 7999, paid: { chain, payer: FEE_PAYERS[0]! } };
    const { extensions } = await provedReceipt(sold, config);
    const { payload } = await proved(extensions as unknown as Extensions);
    expect(payload).toMatchObject({ network: chain.caip2, payer: FEE_PAYERS[0], issuedAt: 7, transaction: "5j7s" });
  });
});

describe("a receipt", () => {
  test.each([
    ["version 1", "X-PAYMENT", "X-PAYMENT-RESPONSE", signPayment],
    ["version 2", "PAYMENT-SIGNATURE", "PAYMENT-RESPONSE", signPaymentV2],
  ])(
    "the official verifier accepts a receipt as proof of the payer and the files in x402 %s",
    async (_, header, answer, sign) => {
      const before = Math.floor(Date.now() / 1000);
      const terms = await (await call(TEXT)).json<{ accepts: Offer[]; extensions: object }>();
      const response = await call(TEXT, json(body, { [header]: await sign(terms.accepts[0]!) }));
      expect([response.status, response.headers.has(answer)]).toEqual([200, true]);
      const receipt = extractReceiptFromResponse(response)!;
      const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(terms as never));
      expect(verifyReceiptMatchesOffer(receipt, offer!, [PAYER])).toBe(true);

      const { payload, inputSha256, outputSha256 } = await proved(extensionsOf(response)!);
      expect(payload).toEqual({
        version: 1,
        network: "eip155:84532",
        resourceUrl: ORIGIN + TEXT,
        payer: PAYER,
        issuedAt: expect.any(Number),
        transaction: `0x${"0".repeat(64)}`, // Payments with the development key transfer no money.
      });
      expect(payload.issuedAt).toBeGreaterThanOrEqual(before);
      expect(inputSha256).toBe(`0x${await sha256(FILE)}`);
      expect(outputSha256).toBe(`0x${await sha256(await downloaded(response))}`);
    },
  );

  test.each<[string, RequestInit, string]>([
    ["an upload", { body: formOf({ file: new File([FILE], "a.pdf"), text: "A" }) }, TEXT],
    ["the body itself", { headers: { "Content-Type": "application/pdf" }, body: FILE }, `${TEXT}?text=A`],
    ["a URL", json({ file: "https://files.example.com/moved.pdf", text: "A" }), TEXT],
    ["a data URI with an image", json({ file: body.file, image: dataUri("image/png", RED_PNG) }), IMAGE],
    [
      "a data URI with an uploaded image",
      { body: formOf({ file: body.file, image: new File([RED_PNG], "a.png") }) },
      IMAGE,
    ],
  ])(
    "a receipt contains the hashes of source and output if the source is %s, whether files stay in memory or are spooled",
    async (_, request, path) => {
      for (const SPOOL_THRESHOLD_BYTES of ["16000000", "100"]) {
        const response = await buy(request, { path, settings: { ...bindings, SPOOL_THRESHOLD_BYTES } });
        expect(response.status).toBe(200);
        const { payload, inputSha256, outputSha256 } = await proved(extensionsOf(response)!);
        expect(payload.resourceUrl).toBe(ORIGIN + path.split("?")[0]);
        expect(inputSha256).toBe(`0x${await sha256(FILE)}`);
        expect(outputSha256).toBe(`0x${await sha256(await downloaded(response))}`);
      }
    },
  );

  test.each(["16000000", "100"])(
    "a receipt contains the hash of an uploaded file if files of at least %s bytes are spooled",
    async (bytes) => {
      const slot = await call("/v1/uploads", json({ size: FILE.length }));
      const { handle, upload } = await slot.json<{ handle: string; upload: { url: string } }>();
      const sent = { method: "PUT", body: FILE, headers: { "Content-Length": String(FILE.length) } };
      expect((await call(new URL(upload.url).pathname, sent)).status).toBe(200);
      const settings = { ...bindings, SPOOL_THRESHOLD_BYTES: bytes };
      const response = await buy(json({ file: handle, text: "A" }), { settings });
      expect((await proved(extensionsOf(response)!)).inputSha256).toBe(`0x${await sha256(FILE)}`);
    },
  );

  test("an MCP answer contains the signed offers and the receipt in _meta", async () => {
    const tool = async (meta: object) => {
      const params = { name: "add_text_watermark", arguments: body, _meta: meta };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const accept = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };
      const text = await (await call("/mcp", json(message, accept))).text();
      const data = text.split("\n").findLast((line) => line.startsWith("data: {"))!;
      return JSON.parse(data.slice(6)).result as { structuredContent: never; _meta: Record<string, unknown> };
    };
    const { structuredContent: terms, _meta: refused } = await tool({});
    expect(refused["x402/error"]).toEqual(terms);
    const [offer] = decodeSignedOffers(extractOffersFromPaymentRequired(terms));
    expect((await verifyOfferSignatureEIP712(offer!.signedOffer as never)).signer).toBe(SIGNER);
    const payment = await signPaymentV2(await offered());
    const { _meta } = await tool({ "x402/payment": payment, "x402/idempotency-key": "of both" });
    const { extensions } = _meta["x402/payment-response"] as { extensions: Extensions };
    expect(verifyReceiptMatchesOffer(extensions["offer-receipt"].info.receipt, offer!, [PAYER])).toBe(true);
    const { payload, inputSha256 } = await proved(extensions);
    expect([payload.resourceUrl, inputSha256]).toEqual([`${ORIGIN}/mcp`, `0x${await sha256(FILE)}`]);

    const again = await call(TEXT, json(body, { "PAYMENT-SIGNATURE": payment, "Idempotency-Key": "of both" }));
    expect(extensionsOf(again), "the receipt of the same purchase over HTTP").toEqual(extensions);
  });
});

describe("the receipt of a purchase", () => {
  test("a repeated call returns the first receipt, even with another payment, x402 version or letter case of the address", async () => {
    const offer = await offered();
    const payment = await signPayment(offer);
    const under = { "Idempotency-Key": "one" };
    const first = await call(TEXT, json(body, { ...under, "X-PAYMENT": payment }));
    expect(extensionsOf(first)).toBeDefined();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 100_000 });
    const { payload, ...rest } = JSON.parse(atob(payment));
    const from = payload.authorization.from.toLowerCase();
    const inLowerCase = { ...rest, payload: { ...payload, authorization: { ...payload.authorization, from } } };
    const again: Record<string, string>[] = [
      { "X-PAYMENT": payment },
      { "X-PAYMENT": btoa(JSON.stringify(inLowerCase)) },
      { "PAYMENT-SIGNATURE": await signPaymentV2(offer) },
    ];
    for (const headers of again) {
      const response = await call(TEXT, json(body, { ...under, ...headers }));
      expect(await response.clone().json()).toEqual(await first.clone().json());
      expect(extensionsOf(response)).toEqual(extensionsOf(first));
    }
  });

  test("all concurrent requests with one payment return the same receipt", async () => {
    const payment = await signPayment(await offered());
    const same = json(body, { "X-PAYMENT": payment, "Idempotency-Key": "at once" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(TEXT, same)));
    const receipts = answers.map((response) => JSON.stringify(extensionsOf(response)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(receipts).size).toBe(1);
    expect(receipts[0]).toContain("overprint-delivery");
  });

  test("the receipts of two purchases differ, and a receipt does not match the files of another purchase", async () => {
    const one = extensionsOf(await buy(json(body)))!;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1000 });
    const two = extensionsOf(await buy(json(body)))!;
    expect((await proved(one)).inputSha256).toBe((await proved(two)).inputSha256);
    await expect(proved({ ...one, "overprint-delivery": two["overprint-delivery"] })).rejects.toThrow();
  });

  test("a receipt is invalid if a file hash, the payer, the time, the transaction or the network is changed", async () => {
    const extensions = extensionsOf(await buy(json(body)))!;
    const other = `0x${await sha256(OTHER)}` as const;
    const receiptOf = (changed: Extensions) => changed["offer-receipt"].info.receipt.payload;
    const deliveryOf = (changed: Extensions) => changed["overprint-delivery"].info.payload;
    const changes: [typeof receiptOf | typeof deliveryOf, object][] = [
      [deliveryOf, { inputSha256: other }],
      [deliveryOf, { outputSha256: other }],
      [receiptOf, { payer: SIGNER }],
      [receiptOf, { issuedAt: receiptOf(extensions).issuedAt + 1 }],
      [receiptOf, { transaction: other }],
      [receiptOf, { network: "eip155:8453" }],
    ];
    await proved(structuredClone(extensions));
    for (const [part, change] of changes) {
      const forged = structuredClone(extensions);
      Object.assign(part(forged), change);
      await expect(proved(forged)).rejects.toThrow();
    }
  });
});

describe("a deployment", () => {
  test("a deployment without RECEIPT_KEY signs neither offers nor receipts, and its answers are otherwise unchanged", async () => {
    const refused = await call(TEXT, {}, env as never);
    strict402.parse(await refused.json());
    termsV2.parse(decodeHeader(refused.headers.get("PAYMENT-REQUIRED")!));
    const payment = await signPayment(await offered());
    const without = await call(TEXT, json(body, { "X-PAYMENT": payment, "Idempotency-Key": "w" }), env as never);
    expect([without.status, extensionsOf(without)]).toEqual([200, undefined]);
    expect((await call("/.well-known/did.json", { method: "GET" }, env as never)).status).toBe(404);

    const later = await call(TEXT, json(body, { "X-PAYMENT": payment, "Idempotency-Key": "w" }));
    expect([later.status, extensionsOf(later)], "the files were not hashed at the sale").toEqual([200, undefined]);
  });

  test.each([
    ["work that fails", { file: dataUri("application/pdf", FILE.subarray(0, 20)), text: "A" }, 422, null],
    ["a settlement that is refused", body, 402, { success: false, errorReason: "insufficient_funds", transaction: "" }],
  ])("the service signs no receipt for %s", async (_, request, status, failed) => {
    const FACILITATOR_URL = "https://facilitator.example.com/refuses-settle-400";
    const response = await buy(json(request), { settings: { ...bindings, PAY_TO, FACILITATOR_URL } });
    expect([response.status, response.headers.get("PAYMENT-RESPONSE")]).toEqual([status, null]);
    const receipt = response.headers.get("X-PAYMENT-RESPONSE");
    expect(receipt && decodeHeader(receipt)).toEqual(failed && { ...failed, network: "base-sepolia", payer: PAYER });
  });

  test("the service signs no receipt if only the facilitator claims that the payment settled", async () => {
    const receipt = { success: true, transaction: "", network: "base-sepolia", payer: PAYER };
    const sold = { ...SOLD, receipt, settledAt: 0 };
    const paid = { chain: NETWORKS["base-sepolia"], payer: PAYER };
    const config = readConfig({ RECEIPT_KEY });
    expect(await provedReceipt({ ...sold, paid }, config)).toHaveProperty("extensions");
    expect(await provedReceipt({ ...sold, paid: undefined }, config)).toEqual(receipt);
  });

  test("the receipt of a file that was uploaded in parts contains the hash of its parts", async () => {
    const receipt = { success: true, transaction: "", network: "base-sepolia", payer: PAYER };
    const paid = { chain: NETWORKS["base-sepolia"], payer: PAYER };
    const identity = await identityOfParts(["01".repeat(32)]);
    const value = { ...SOLD.value, proof: { ...SOLD.value.proof, inputSha256: identity } };
    const config = readConfig({ RECEIPT_KEY });
    const { extensions } = await provedReceipt({ ...SOLD, value, receipt, settledAt: 0, paid }, config);
    const { "overprint-delivery": delivery, "offer-receipt": signed } = extensions as unknown as Extensions;
    const inputPartsSha256 = `0x${await sha256(new Uint8Array(32).fill(1))}`;
    expect(delivery.info.payload).toEqual({ inputPartsSha256, outputSha256: `0x${"02".repeat(32)}` });
    const named = DELIVERY_TYPES.Delivery!.map((field) =>
      field.name === "inputSha256" ? { ...field, name: "inputPartsSha256" } : field,
    );
    const deliverer = await recoverTypedDataAddress({
      domain: { name: "Overprint delivery", version: "1", chainId: 1 },
      types: { ...DELIVERY_TYPES, Delivery: named },
      primaryType: "Delivery",
      message: { receipt: (await verifyReceiptSignatureEIP712(signed.info.receipt)).payload, ...delivery.info.payload },
      signature: delivery.info.signature,
    });
    expect(deliverer).toBe(SIGNER);
  });

  test("the service signs nothing on behalf of a foreign host", async () => {
    const FACILITATOR_URL = "https://facilitator.example.com/good";
    const settings = { ...bindings, FACILITATOR_URL, PAY_TO, ALLOWED_HOSTS: "pdf.example.com" };
    for (const [host, isOwn] of [
      ["pdf.example.com", true],
      ["other.example.com", false],
    ] as const) {
      const origin = `https://${host}`;
      const refused = await (await call(TEXT, {}, settings, origin)).json<{ accepts: Offer[]; extensions?: object }>();
      expect(refused.extensions !== undefined).toBe(isOwn);
      const paid = json(body, { "X-PAYMENT": await signPayment(refused.accepts[0]!) });
      const sold = await call(TEXT, paid, settings, origin);
      expect([sold.status, extensionsOf(sold) !== undefined]).toEqual([200, isOwn]);
      const document = await call("/.well-known/did.json", { method: "GET" }, settings, origin);
      expect(document.status).toBe(isOwn ? 200 : 404);
    }
  });
});

describe("/.well-known/did.json", () => {
  const documentAt = (origin: string) => call("/.well-known/did.json", { method: "GET" }, bindings, origin);

  test("/.well-known/did.json identifies the deployment's signer by address and by key", async () => {
    const response = await documentAt("https://pdf.example.com");
    expect(response.headers.get("Content-Type")).toBe("application/did+json");
    const document = await response.json<{ id: string; verificationMethod: object[]; assertionMethod: string[] }>();
    expect(document).toMatchObject({
      id: "did:web:pdf.example.com",
      verificationMethod: [
        { controller: document.id, publicKeyJwk: { kty: "EC", crv: "secp256k1" } },
        { controller: document.id, blockchainAccountId: `eip155:1:${SIGNER}` },
      ],
      assertionMethod: ["did:web:pdf.example.com#key", "did:web:pdf.example.com#address"],
    });
  });

  test("/.well-known/did.json contains the public key of the deployment's signer", async () => {
    const { verificationMethod } = await (await documentAt("http://localhost:8787")).json<{
      verificationMethod: { id: string; publicKeyJwk: { x: string; y: string } }[];
    }>();
    const { id, publicKeyJwk } = verificationMethod[0]!;
    expect(id).toBe("did:web:localhost%3A8787#key");
    const bytes = [publicKeyJwk.x, publicKeyJwk.y].map((part) =>
      Uint8Array.fromBase64(part, { alphabet: "base64url" }),
    );
    expect(`0x04${bytes.map((part) => part.toHex()).join("")}`).toBe(privateKeyToAccount(RECEIPT_KEY).publicKey);
  });
});
