import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { readPaymentPayload } from "../../../src/payments/wire/paymentPayload.ts";
import { httpResource } from "../../../src/service/about/discovery.ts";
import { type Exchange, STAGES, type Stage } from "../../../src/service/sale/callContext.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import { admitPayer, offerFor, purchase } from "../../../src/service/sale/purchase.ts";
import { configOf } from "../../../src/settings/config.ts";
import { dataUri, ORIGIN } from "../../support/client.ts";
import { onePage } from "../../support/pdf.ts";
import { storedKeys } from "../../support/storage.ts";

const product = PRODUCTS[0]!;
const config = configOf(env);
const fields = { file: dataUri("application/pdf", onePage), text: "A" };
const exchange: Exchange = {
  request: new Request(ORIGIN),
  requestId: "test",
  env,
  config,
  facts: {},
  waitUntil: () => {},
};
const offer = offerFor(product, httpResource(product, ORIGIN, config), exchange);
const newPayment = async () => readPaymentPayload(await signPayment(offer.v1[0] as never), offer);

/** Buys a result with a payment. The caller disconnects when the stage `leaves` begins. */
function buy(payment: Awaited<ReturnType<typeof newPayment>>, leaves?: Stage) {
  const caller = new AbortController();
  const seen: Stage[] = [];
  const progress = (stage: Stage) => {
    seen.push(stage);
    if (stage === leaves) caller.abort();
  };
  const asked = { ...exchange, signal: caller.signal, progress };
  const sale = admitPayer(product, payment, offer, asked, payment.authorization.nonce).then((admitted) =>
    purchase(admitted, asked, async () => product.accept(fields, "json")),
  );
  return { seen, sale };
}

describe("a caller who disconnects", () => {
  test.each(["fetching", "marking", "storing"] as const)(
    'a caller who disconnects during the stage "%s" pays nothing, and nothing stays stored',
    async (stage) => {
      const payment = await newPayment();
      const before = (await storedKeys()).length;
      const { sale, seen } = buy(payment, stage);
      await expect(sale).rejects.toMatchObject({ code: "call_cancelled" });
      expect(seen).toEqual(STAGES.slice(0, STAGES.indexOf(stage) + 1));
      expect((await storedKeys()).length).toBe(before);
      await expect(buy(payment).sale).resolves.toMatchObject({ receipt: { success: true } });
    },
  );

  test("a caller who disconnects after the settlement has begun is charged and can still fetch the result", async () => {
    const payment = await newPayment();
    const { value } = await buy(payment, "settling").sale;
    expect(await buy(payment).sale).toMatchObject({ value });
  });
});
