import { describe, expect, test } from "vitest";
import { z } from "zod";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { paymentRequiredHeaders } from "../../src/http/paymentHeaders.ts";
import { PaymentRequired } from "../../src/payments/wire/offer.ts";
import { parsePrice } from "../../src/payments/wire/price.ts";
import { imageRequest, textRequest } from "../../src/service/request/schemas.ts";
import { callPaid, dataUri, formOf, IMAGE, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";
import { decodeHeader, strict402, termsV2 } from "../support/x402.ts";

const encode = (payload: unknown) => btoa(JSON.stringify(payload));
const body = { file: dataUri("application/pdf", onePage), text: "PAID" };

describe("an unpaid call", () => {
  test.each([TEXT, IMAGE])("an unpaid call of %s gets a valid 402 of x402 version 1 for 0.05 USDC", async (path) => {
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

  test.each([TEXT, IMAGE])(
    "an unpaid call of %s gets a short x402 version 2 header with discovery data",
    async (path) => {
      const response = await send(path, { method: "POST" });
      const header = response.headers.get("PAYMENT-REQUIRED")!;
      expect(header.length).toBeLessThan(5000);
      const terms = termsV2.parse(decodeHeader(header));
      expect(terms.resource.url).toBe(`http://localhost${path}`);
      expect(terms.accepts).toEqual([
        {
          scheme: "exact",
          network: "eip155:84532",
          amount: "50000",
          asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
          payTo: expect.stringMatching(/^0x/),
          maxTimeoutSeconds: 300,
          extra: { name: "USDC", version: "2" },
        },
      ]);
      const { info, schema } = terms.extensions.bazaar;
      z.fromJSONSchema(schema).parse(info);
      const { input } = info as { input: { body: unknown } };
      (path === TEXT ? textRequest : imageRequest)().parse(input.body);
      expect(terms.extensions["payment-identifier"]).toMatchObject({ info: { required: false } });
    },
  );

  test.each([TEXT, IMAGE])(
    "GET and HEAD of %s return 405 with the terms of a POST in PAYMENT-REQUIRED",
    async (path) => {
      const [post, get, head] = await Promise.all(["POST", "GET", "HEAD"].map((method) => send(path, { method })));
      expect([get!.status, head!.status]).toEqual([405, 405]);
      for (const response of [get!, head!]) {
        expect(response.headers.get("Allow")).toBe("POST");
        expect(response.headers.get("PAYMENT-REQUIRED")).toBe(post!.headers.get("PAYMENT-REQUIRED"));
      }
      expect([await get!.json(), await head!.text()]).toEqual([
        expect.objectContaining({ code: "method_not_allowed" }),
        "",
      ]);
    },
  );

  test("GET of a paid route returns 405 without terms if the deployment cannot sell", async () => {
    const response = await send(`https://overprint.example.com${TEXT}`);
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
    expect(response.headers.has("PAYMENT-REQUIRED")).toBe(false);
  });

  test("an unpaid call gets a 402 even if its body is invalid", async () => {
    const response = await send(TEXT, {
      method: "POST",
      body: "x".repeat(100),
      headers: { "Content-Type": "text/plain" },
    });
    expect(response.status).toBe(402);
  });
});

test("the 402 after a failed settlement contains the receipt in the payer's x402 version", async () => {
  const offer = await offerOf(TEXT);
  const refusal = (version: 1 | 2) => ({
    version,
    receipt: { success: false, errorReason: "insufficient_funds", transaction: "", network: "n", payer: "p" },
  });
  const sold = {
    resource: { url: offer.resource, description: "", outputSchema: {}, bazaar: {} },
    price: parsePrice("0.05")!,
    networks: [],
    maxTimeoutSeconds: 300,
    v1: [],
    v2: [],
    channels: [],
  };
  for (const [version, header, absent] of [
    [1, "X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE"],
    [2, "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE"],
  ] as const) {
    const headers = paymentRequiredHeaders(new PaymentRequired(sold, "insufficient_funds — “é”", refusal(version)));
    expect(decodeHeader(headers[header]!)).toEqual(refusal(version).receipt);
    expect(headers[absent]).toBeUndefined();
    expect(decodeHeader(headers["PAYMENT-REQUIRED"]!)).toMatchObject({ error: "insufficient_funds — “é”" });
  }
});

describe("payment headers of both x402 versions in one call", () => {
  const callWith = (headers: Record<string, string>) =>
    send(TEXT, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  test.each(["", "garbage", encode({ x402Version: 2 }), encode({ x402Version: 3 }), "e30"])(
    "a call with two payment headers uses the valid one if the other is %j",
    async (bad) => {
      const first = await callWith({ "PAYMENT-SIGNATURE": bad, "X-PAYMENT": await signPayment(await offerOf(TEXT)) });
      expect([first.status, first.headers.has("X-PAYMENT-RESPONSE")]).toEqual([200, true]);
      const second = await callWith({
        "PAYMENT-SIGNATURE": await signPaymentV2(await offerOf(TEXT)),
        "X-PAYMENT": bad,
      });
      expect([second.status, second.headers.has("PAYMENT-RESPONSE")]).toEqual([200, true]);
    },
  );

  test("a call with two invalid payment headers gets the error of the version 2 header", async () => {
    const response = await callWith({ "PAYMENT-SIGNATURE": "garbage", "X-PAYMENT": encode({ x402Version: 4 }) });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ error: expect.stringContaining("base64") });
  });
});

test("the terms of each x402 version name the payment header of that version", async () => {
  const response = await send(TEXT, { method: "POST" });
  expect(decodeHeader(response.headers.get("PAYMENT-REQUIRED")!)).toMatchObject({
    error: "PAYMENT-SIGNATURE header is required: pay with an x402 client, see http://localhost/llms.txt",
  });
  expect(await response.json()).toMatchObject({
    error: "X-PAYMENT header is required: pay with an x402 client, see http://localhost/llms.txt",
  });
});

test.each<[string, (address: string) => string]>([
  ["lower case", (address) => address.toLowerCase()],
  ["upper case", (address) => address.toUpperCase().replace("0X", "0x")],
])("the service accepts a payment with addresses in %s", async (_, change) => {
  const { accepted, payload, ...rest } = JSON.parse(atob(await signPaymentV2(await offerOf(TEXT))));
  const changed = { ...accepted, asset: change(accepted.asset), payTo: change(accepted.payTo) };
  const response = await send(TEXT, {
    method: "POST",
    headers: {
      "PAYMENT-SIGNATURE": encode({ ...rest, accepted: changed, payload }),
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
});

describe("a payment buys one result", () => {
  const call = (header: string, payment: string, request: object = body, key?: string) =>
    send(TEXT, {
      method: "POST",
      headers: { [header]: payment, "Content-Type": "application/json", ...(key && { "Idempotency-Key": key }) },
      body: JSON.stringify(request),
    });

  test("the service accepts a version 2 payment and returns a version 2 receipt", async () => {
    const response = await call("PAYMENT-SIGNATURE", await signPaymentV2(await offerOf(TEXT)));
    expect(response.status).toBe(200);
    expect(response.headers.get("X-PAYMENT-RESPONSE")).toBeNull();
    expect(decodeHeader(response.headers.get("PAYMENT-RESPONSE")!)).toMatchObject({
      success: true,
      network: "eip155:84532",
    });
  });

  test.each([
    ["X-PAYMENT", signPayment],
    ["PAYMENT-SIGNATURE", signPaymentV2],
  ])("a repeated call with a payment in %s gets the same result and receipt", async (header, sign) => {
    const payment = await sign(await offerOf(TEXT));
    const [first, second] = [await call(header, payment, body, header), await call(header, payment, body, header)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.json()).toEqual(await first.json());
    const receipt = header === "X-PAYMENT" ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE";
    expect(second.headers.get(receipt)).toBe(first.headers.get(receipt));
  });

  test("a repeated call gets the first result even if the letter case of address and nonce differs", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const key = crypto.randomUUID();
    const first = await call("X-PAYMENT", payment, body, key);
    expect(first.status).toBe(200);
    const { payload, ...rest } = JSON.parse(atob(payment));
    const from = payload.authorization.from!.toLowerCase(),
      nonce = payload.authorization.nonce!.toUpperCase().replace("0X", "0x");
    const authorization = { ...payload.authorization, from, nonce };
    const again = await call("X-PAYMENT", encode({ ...rest, payload: { ...payload, authorization } }), body, key);
    expect(await again.json()).toEqual(await first.json());
  });

  test.each<[string, object]>([
    ["another text", { ...body, text: "TWICE" }],
    ["another opacity", { ...body, opacity: 0.31 }],
    ["another file", { ...body, file: "https://files.example.com/one-page.pdf" }],
    ["an unknown field", { ...body, hue: "red" }],
  ])("the service asks for a new payment if a settled payment is sent in a call with %s", async (_, request) => {
    const payment = await signPayment(await offerOf(TEXT));
    expect((await call("X-PAYMENT", payment, body, crypto.randomUUID())).status).toBe(200);
    const again = await call("X-PAYMENT", payment, request);
    expect(again.status).toBe(402);
    expect(strict402.parse(await again.json()).error).toMatch(/^payment_already_used: /);
    const withKey = await call("X-PAYMENT", payment, request, "another");
    expect(withKey.status).toBe(402);
  });

  test("the service refuses a repeated call without a proof of the payer, instead of asking for another payment", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const request = { ...body, text: "BOUGHT ONCE" };
    expect((await call("X-PAYMENT", payment, request)).status).toBe(200);
    const again = await call("X-PAYMENT", payment, request);
    expect([again.status, await again.json()]).toMatchObject([409, { code: "payment_already_used" }]);
  });

  test("the service rejects a settled payment in another request without reading more than 256 KB of the body", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    expect((await call("X-PAYMENT", payment, { ...body, text: "SHORT" })).status).toBe(200);
    const long = await call("X-PAYMENT", payment, { ...body, text: "A".repeat(256 * 1024) });
    expect([long.status, await long.json()]).toMatchObject([409, { code: "payment_already_used" }]);
  });

  test("the service rejects a forged payment with the nonce of a settled payment", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    await call("X-PAYMENT", payment, body, crypto.randomUUID());
    const { payload, ...rest } = JSON.parse(atob(payment));
    const forged = encode({ ...rest, payload: { ...payload, signature: `0x${"1".repeat(130)}` } });
    expect((await call("X-PAYMENT", forged)).status).toBe(409);
  });

  test("the service compares the files of repeated calls by bytes, not by name", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const form = (bytes: Uint8Array<ArrayBuffer>, name: string) => formOf({ file: new File([bytes], name), text: "A" });
    const first = await (await callPaid(TEXT, form(onePage, "a.pdf"), payment, "b")).json();
    expect(await (await callPaid(TEXT, form(onePage, "b.pdf"), payment, "b")).json()).toEqual(first);
    const other = Uint8Array.of(...onePage, 10);
    expect((await callPaid(TEXT, form(other, "a.pdf"), payment)).status).toBe(402);
  });

  test("fifty concurrent calls with the same payment get one result", async () => {
    const payment = await signPayment(await offerOf(TEXT));
    const outputs = async () => (await storedKeys()).length;
    const before = await outputs();
    const answers = await Promise.all(Array.from({ length: 50 }, () => callPaid(TEXT, body, payment, "fifty")));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(texts).size).toBe(1);
    expect(await outputs()).toBe(before + 1);
  });

  test("a deployment that verifies payments locally returns 503 on public hosts", async () => {
    for (const path of [TEXT, IMAGE]) {
      const response = await send(`https://overprint.example.com${path}`, { method: "POST" });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: "not_configured" });
    }
  });

  test("a deployment that verifies payments locally returns 503 to a remote caller with a loopback Host header", async () => {
    const response = await send(TEXT, { method: "POST", headers: { "CF-Connecting-IP": "203.0.113.9" } });
    expect(response.status).toBe(503);
  });
});
