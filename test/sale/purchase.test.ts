import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { configOf } from "../../src/config.ts";
import { STAGES, type Stage } from "../../src/operation.ts";
import { readPayment } from "../../src/payments/payment.ts";
import { roomsOf } from "../../src/rooms.ts";
import { PRODUCTS } from "../../src/sale/catalog.ts";
import { httpDiscovery } from "../../src/sale/discovery.ts";
import { purchase, termsFor } from "../../src/sale/purchase.ts";
import { textRequest } from "../../src/schemas.ts";
import { dataUri, ORIGIN } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

const product = PRODUCTS[0]!;
const config = configOf(env);
const request = textRequest.parse({ file: dataUri("application/pdf", onePage), text: "A" });
const resource = { url: ORIGIN, description: "", ...httpDiscovery(product) };
const terms = termsFor(resource, config, new Request(ORIGIN));
const newPayment = async () => readPayment(await signPayment(terms.offer.v1[0] as never), terms.offer);

/** Buys with a payment; the caller goes as a stage begins. */
function buy(payment: Awaited<ReturnType<typeof newPayment>>, leaves?: Stage) {
  const caller = new AbortController();
  const seen: Stage[] = [];
  const progress = (stage: Stage) => {
    seen.push(stage);
    if (stage === leaves) caller.abort();
  };
  const surroundings = {
    env,
    config,
    origin: ORIGIN,
    allowLoopback: false,
    rooms: roomsOf(env, config),
    signal: caller.signal,
    progress,
  };
  return { seen, sale: purchase(product, request, payment, terms, surroundings) };
}

describe("a caller who goes", () => {
  test.each(["fetching", "marking", "storing"] as const)(
    "while %s pays nothing, and nothing is kept",
    async (stage) => {
      const payment = await newPayment();
      const before = (await env.RESULTS.list()).objects.length;
      const { sale, seen } = buy(payment, stage);
      await expect(sale).rejects.toMatchObject({ code: "call_cancelled" });
      expect(seen).toEqual(STAGES.slice(0, STAGES.indexOf(stage) + 1));
      expect((await env.RESULTS.list()).objects.length).toBe(before);
      await expect(buy(payment).sale).resolves.toMatchObject({ receipt: { success: true } });
    },
  );

  test("once it is settling has bought", async () => {
    const payment = await newPayment();
    const { value } = await buy(payment, "settling").sale;
    expect(await buy(payment).sale).toMatchObject({ value });
  });
});
