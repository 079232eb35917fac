import { generatePrivateKey } from "viem/accounts";
import { expect, test, vi } from "vitest";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { deployment, terms } from "../support/deployment.ts";

/**
 * Changes of price and recipient while payments are in use. A payment signed on the old terms still gets its result,
 * but cannot buy another one.
 */

const NEW = { PRICE: "0.07", PAY_TO: `0x${"ab".repeat(20)}`, DEFAULT_KEY: "true" };
const newTerms = async () => ({ ...(await terms()), payTo: NEW.PAY_TO as `0x${string}`, maxAmountRequired: "70000" });
const REQUEST = { file: "https://files.example.com/one-page.pdf", text: "A" };

/** Returns the functions `before` and `after`, which call the deployment before and after the change of its terms. */
function changed(behavior = "good") {
  const caller =
    ({ call }: ReturnType<typeof deployment>) =>
    async (headers: Record<string, string>, request: object = REQUEST) => {
      const body = JSON.stringify(request);
      const {
        status,
        text,
        headers: sent,
      } = await call({
        headers: { "Content-Type": "application/json", "Content-Length": String(body.length), ...headers },
        body,
      });
      const answer = JSON.parse(text);
      return { status, url: answer.output?.url, code: answer.code ?? answer.error, answer, headers: sent };
    };
  const before = deployment(behavior, { DEFAULT_KEY: "true" });
  return { before: caller(before), after: caller(deployment(behavior, NEW)) };
}

test.each([
  ["X-PAYMENT", signPayment],
  ["PAYMENT-SIGNATURE", signPaymentV2],
] as const)(
  "a payment in %s that was settled on the old terms still gets its result after a change of terms",
  async (header, sign) => {
    const { before, after } = changed();
    const headers = {
      [header]: await sign(await terms(), generatePrivateKey()),
      "Idempotency-Key": crypto.randomUUID(),
    };
    const bought = await before(headers);
    const repeated = await after(headers);
    expect([bought.status, repeated.status, repeated.url]).toEqual([200, 200, bought.url]);
  },
);

test.each([
  { key: "the key of the sale", headers: () => ({ "Idempotency-Key": crypto.randomUUID() }) },
  { key: "no key", headers: () => ({}) },
])(
  "a repeated call with a payment on the new terms and $key gets the old result without a new settlement",
  async ({ headers }) => {
    const { before, after } = changed();
    const [payer, sent] = [generatePrivateKey(), headers()];
    const bought = await before({ ...sent, "X-PAYMENT": await signPayment(await terms(), payer) });
    const repeated = await after({ ...sent, "X-PAYMENT": await signPayment(await newTerms(), payer) });
    expect([repeated.status, repeated.url]).toEqual([200, bought.url]);
    expect(repeated.headers.get("Overprint-Notice")).toBe("payment-not-settled");
  },
);

test("a repeated call with its idempotency key gets the old result, even with a payment on another network", async () => {
  const { before } = changed();
  const { call } = deployment("good", { NETWORKS: "base" });
  const [payer, key] = [generatePrivateKey(), { "Idempotency-Key": crypto.randomUUID() }];
  const bought = await before({ ...key, "X-PAYMENT": await signPayment(await terms(), payer) });
  const unpaid = JSON.parse((await call({ body: "{}" })).text) as { accepts: Parameters<typeof signPayment>[0][] };
  const payment = { "X-PAYMENT": await signPayment(unpaid.accepts[0]!, payer), "Content-Type": "application/json" };
  const repeated = await call({ headers: { ...key, ...payment }, body: JSON.stringify(REQUEST) });
  expect([repeated.status, JSON.parse(repeated.text).output?.url]).toEqual([200, bought.url]);
});

test("a payment settles on the terms for which it was signed, even if the terms change before a repeated call", async () => {
  const { before, after } = changed("loses-first-answer");
  const payment = { "X-PAYMENT": await signPayment(await terms(), generatePrivateKey()) };
  const headers = { ...payment, "Idempotency-Key": crypto.randomUUID() };
  const first = before(headers);
  const second = vi.waitUntil(
    async () => {
      const answer = await after(headers);
      // A 402 means that the first call has not claimed the payment yet.
      return answer.status === 402 ? undefined : answer;
    },
    { timeout: 30_000 },
  );
  const [{ status, url }, { url: again }] = await Promise.all([first, second]);
  expect([status, again]).toEqual([200, url]);
});

test("the service asks for a payment on the new terms without verifying an unused payment on the old terms", async () => {
  const { call, verified } = deployment("good", NEW);
  const payment = await signPayment(await terms(), generatePrivateKey());
  const answer = await call({ headers: { "X-PAYMENT": payment, "Content-Type": "application/json" }, body: "{}" });
  const { error, accepts } = JSON.parse(answer.text);
  expect([answer.status, error]).toEqual([402, expect.stringContaining(`pay to ${NEW.PAY_TO}`)]);
  expect(accepts).toMatchObject([{ payTo: NEW.PAY_TO, maxAmountRequired: "70000" }]);
  expect(await verified()).toBe(0);
});

test("the service asks for a new payment if a settled payment is sent with another request after a change of terms", async () => {
  const { before, after } = changed();
  const payment = { "X-PAYMENT": await signPayment(await terms(), generatePrivateKey()) };
  await before(payment);
  expect([await after(payment), await after(payment, { ...REQUEST, text: "B" })]).toMatchObject([
    { status: 409, code: "payment_already_used" },
    { status: 402, code: expect.stringContaining("payment_already_used") },
  ]);
});

test("the service uses the payment on the current terms if a call has two payments", async () => {
  const { before } = changed();
  const payer = generatePrivateKey();
  const other = { "PAYMENT-SIGNATURE": await signPaymentV2(await newTerms(), payer) };
  const { status } = await before({ ...other, "X-PAYMENT": await signPayment(await terms(), payer) });
  expect(status).toBe(200);
});
