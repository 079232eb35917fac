import { describe, expect, test } from "vitest";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { callPaid, dataUri, offerOf, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";
import { decodeHeader } from "../support/x402.ts";

const body = { file: dataUri("application/pdf", onePage), text: "PAID" };
const files = async () => (await storedKeys()).length;

describe("Idempotency-Key", () => {
  test("a repeated call with a newly signed payment gets the first result and a note that the payment stays unused", async () => {
    const first = await callPaid(TEXT, body, undefined, "order-1");
    const before = await files();
    const second = await callPaid(TEXT, body, undefined, "order-1");
    expect([first.status, second.status, await files()]).toEqual([200, 200, before]);
    expect(await second.json()).toEqual(await first.json());
    expect(first.headers.get("Overprint-Notice")).toBeNull();
    expect(second.headers.get("Overprint-Notice")).toBe("payment-not-settled");
    const [bought, replayed] = [first, second].map(({ headers }) => decodeHeader(headers.get("X-PAYMENT-RESPONSE")!));
    expect(replayed).toEqual({ ...(bought as object), extra: { note: expect.stringContaining("expires unused") } });
  });

  test("the receipt of a repeated call has the x402 version of that call, not of the first call", async () => {
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

  test("the service answers 422 to an Idempotency-Key that another request has used, and charges nothing", async () => {
    await callPaid(TEXT, body, undefined, "order-3");
    const [before, payment] = [await files(), await signPayment(await offerOf(TEXT))];
    const other = await callPaid(TEXT, { ...body, text: "OTHER" }, payment, "order-3");
    expect([other.status, await files()]).toEqual([422, before]);
    expect(await other.json()).toMatchObject({ code: "idempotency_key_reused" });
    expect((await callPaid(TEXT, body, payment, "order-4")).status).toBe(200);
  });

  test.each(["", "é", "x".repeat(256)])(
    "the service rejects the malformed Idempotency-Key %j and leaves the payment usable",
    async (key) => {
      const payment = await signPayment(await offerOf(TEXT));
      const refused = await callPaid(TEXT, body, payment, key);
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { code: "invalid_request", errors: [{ path: "Idempotency-Key" }] },
      ]);
      expect((await callPaid(TEXT, body, payment, " ".repeat(3) + "x".repeat(255))).status).toBe(200);
    },
  );

  test("the service answers 402 to an unpaid call, even if its Idempotency-Key is invalid", async () => {
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

  test("the service uses payment-identifier as the idempotency key if the header Idempotency-Key is missing", async () => {
    const first = await (await call("pay_1234567890123456")).json();
    expect(await (await call("pay_1234567890123456")).json()).toEqual(first);
    expect((await call("pay_1234567890123456", {}, { ...body, text: "OTHER" })).status).toBe(422);
  });

  test("a repeated call with a new payment-identifier gets the first result, since clients create one per attempt", async () => {
    const first = await call("pay_1111111111111111", {}, { ...body, text: "ATTEMPT" });
    const second = await call("pay_2222222222222222", {}, { ...body, text: "ATTEMPT" });
    expect(await second.json()).toEqual(await first.json());
    expect(second.headers.get("Overprint-Notice")).toBe("payment-not-settled");
  });

  test("the service prefers the Idempotency-Key header over the payment-identifier", async () => {
    const key = { "Idempotency-Key": "order-5" };
    const first = await (await call("pay_aaaaaaaaaaaaaaaa", key)).json();
    expect(await (await call("pay_bbbbbbbbbbbbbbbb", key)).json()).toEqual(first);
  });
});

test("a third party who saw the payment on-chain does not get the download link", async () => {
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

test("a slow call gets the result of another call that settles the same payment first", async () => {
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
  await new Promise((resolve) => setTimeout(resolve, 200)); // gives the service time to admit the slow call
  const first = await (await callPaid(TEXT, body, payment)).json();
  finish();
  expect(await (await asked).json()).toEqual(first);
});
