import { describe, expect, test } from "vitest";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { callPaid, dataUri, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";
import { decodeHeader } from "../support/x402.ts";

const body = { file: dataUri("application/pdf", onePage), text: "PAID" };
const files = async () => (await storedKeys()).length;

describe("Idempotency-Key", () => {
  test("signed anew, the same call gets the same result, and says that the new payment lapses", async () => {
    const first = await callPaid(TEXT, body, undefined, "order-1");
    const before = await files();
    const second = await callPaid(TEXT, body, undefined, "order-1");
    expect([first.status, second.status, await files()]).toEqual([200, 200, before]);
    expect(await second.json()).toEqual(await first.json());
    expect(first.headers.get("Overprint-Notice")).toBeNull();
    expect(second.headers.get("Overprint-Notice")).toBe("payment-not-settled");
    const [bought, replayed] = [first, second].map(({ headers }) => decodeHeader(headers.get("X-PAYMENT-RESPONSE")!));
    expect(replayed).toEqual({ ...(bought as object), extra: { note: expect.stringContaining("lapses by itself") } });
  });

  test("in another version of x402, the receipt is in that one's words", async () => {
    await callPaid(TEXT, body, undefined, "order-2");
    const second = await send(TEXT, {
      method: "POST",
      headers: {
        "PAYMENT-SIGNATURE": await signPaymentV2(await offerOf(TEXT)),
        "Idempotency-Key": "order-2",
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
    expect(decodeHeader(second.headers.get("PAYMENT-RESPONSE")!)).toMatchObject({ network: "eip155:84532" });
  });

  test("with another request is a 422, and nothing is stored or charged", async () => {
    await callPaid(TEXT, body, undefined, "order-3");
    const [before, payment] = [await files(), await signPayment(await offerOf(TEXT))];
    const other = await callPaid(TEXT, { ...body, text: "OTHER" }, payment, "order-3");
    expect([other.status, await files()]).toEqual([422, before]);
    expect(await other.json()).toMatchObject({ code: "idempotency_key_reused" });
    expect((await callPaid(TEXT, body, payment, "order-4")).status).toBe(200);
  });

  test.each(["", "é", "x".repeat(256)])("%j is no key: 400, and the payment is good for another call", async (key) => {
    const payment = await signPayment(await offerOf(TEXT));
    const refused = await callPaid(TEXT, body, payment, key);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: "invalid_request", errors: [{ path: "Idempotency-Key" }] },
    ]);
    expect((await callPaid(TEXT, body, payment, " ".repeat(3) + "x".repeat(255))).status).toBe(200);
  });

  test("without a payment, the answer is the price, whatever the key", async () => {
    const response = await send(TEXT, { method: "POST", headers: { "Idempotency-Key": "" } });
    expect(response.status).toBe(402);
  });
});

describe("payment-identifier", () => {
  const identified = async (id: string) => {
    const payment = JSON.parse(atob(await signPaymentV2(await offerOf(TEXT))));
    const extensions = { "payment-identifier": { info: { required: false, id } } };
    return btoa(JSON.stringify({ ...payment, extensions }));
  };
  const call = async (id: string, headers: object = {}, request: object = body) =>
    send(TEXT, {
      method: "POST",
      headers: { "PAYMENT-SIGNATURE": await identified(id), "Content-Type": "application/json", ...headers },
      body: JSON.stringify(request),
    });

  test("is a key, too", async () => {
    const first = await (await call("pay_1234567890123456")).json();
    expect(await (await call("pay_1234567890123456")).json()).toEqual(first);
    expect((await call("pay_1234567890123456", {}, { ...body, text: "OTHER" })).status).toBe(422);
    expect(await (await call("pay_6543210987654321")).json()).not.toEqual(first);
  });

  test("does not count beside the header", async () => {
    const key = { "Idempotency-Key": "order-5" };
    const first = await (await call("pay_aaaaaaaaaaaaaaaa", key)).json();
    expect(await (await call("pay_bbbbbbbbbbbbbbbb", key)).json()).toEqual(first);
  });
});

test("a paid link cannot be had from what is on the chain, nor ended by whoever reads it there", async () => {
  const payment = await signPayment(await offerOf(TEXT));
  const { output } = await (await callPaid(TEXT, body, payment, "mine")).json<{ output: { url: string } }>();
  for (const guess of [undefined, "mine?", payment.slice(0, 255)]) {
    const stolen = await callPaid(TEXT, body, payment, guess);
    const text = await stolen.text();
    expect([stolen.status, JSON.parse(text).code]).toEqual([409, "payment_already_used"]);
    expect(text).not.toContain(new URL(output.url).searchParams.get("token"));
    expect(JSON.parse(text).detail).toMatch(/Idempotency-Key.*GET \/v1\/purchases/);
  }
  expect((await send(output.url)).status).toBe(200);
  expect((await callPaid(TEXT, body, payment, "mine")).status).toBe(200);
});

test("a call that came before its payment was public has the result, however slowly its body comes", async () => {
  const payment = await signPayment(await offerOf(TEXT));
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  let finish = () => {};
  const slow = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, 1));
      finish = () => {
        controller.enqueue(bytes.subarray(1));
        controller.close();
      };
    },
  });
  const headers = { "X-PAYMENT": payment, "Content-Type": "application/json" };
  const asked = send(TEXT, { method: "POST", headers, body: slow });
  await new Promise((resolve) => setTimeout(resolve, 200)); // it is admitted by then
  const first = await (await callPaid(TEXT, body, payment)).json();
  finish();
  expect(await (await asked).json()).toEqual(first);
});
