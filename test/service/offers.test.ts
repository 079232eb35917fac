import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { DEFAULT_ASSETS } from "@x402/evm";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";
import { describe, expect, test } from "vitest";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { paymentRequiredHeaders } from "../../src/http/paymentHeaders.ts";
import { localFacilitator } from "../../src/payments/localFacilitator.ts";
import { NETWORK_NAMES, NETWORKS } from "../../src/payments/networks.ts";
import { offerOf, PaymentRequired, paymentRequiredV1 } from "../../src/payments/offer.ts";
import { paymentKey, readPaymentPayload } from "../../src/payments/paymentPayload.ts";
import { httpDiscovery } from "../../src/service/discovery.ts";
import { PRODUCTS } from "../../src/service/products.ts";
import { strict402 } from "../support/x402.ts";

const config = readConfig({ NETWORKS: NETWORK_NAMES.join() });
const [product] = PRODUCTS;
const url = "https://a-rather-long-name-of-a-host.overprint.example.com/v1/watermark/text";
const offer = offerOf({ url, description: product!.summary, ...httpDiscovery(product!, config.price) }, config);

describe("an offer of every network", () => {
  test("is read by the strict client of version 1", () => {
    const { accepts } = strict402.parse(paymentRequiredV1(offer, "X-PAYMENT header is required"));
    expect(accepts.map(({ network }) => network)).toEqual(NETWORK_NAMES);
  });

  test.each(NETWORK_NAMES)("is on the chain that the official client knows as %s", (network) => {
    expect(NETWORKS[network].chainId).toBe(EVM_NETWORK_CHAIN_ID_MAP[network]);
  });

  test.each(NETWORK_NAMES.filter((network) => NETWORKS[network].caip2 in DEFAULT_ASSETS))(
    "asks for the USDC that the official client knows on %s",
    (network) => {
      const { caip2, asset, domain } = NETWORKS[network];
      expect(DEFAULT_ASSETS[caip2]).toContainEqual({ asset, ...domain, decimals: 6, symbol: "USDC" });
    },
  );

  test.each(PRODUCTS)("is at most 4 KB of headers for five networks: $operation", async ({ path }) => {
    const long = "a-rather-long-name-of-a-host.overprint.example.com";
    const settings = {
      ...env,
      NETWORKS: NETWORK_NAMES.toSorted((a, b) => b.length - a.length)
        .slice(0, 5)
        .join(),
      PRICE: "123.456789",
      FACILITATOR_URL: "https://facilitator.example.com/good",
      PAY_TO: "0x00000000000000000000000000000000000000aa",
    };
    const context = createExecutionContext();
    const headers = { "X-PAYMENT": "x".repeat(9000), "X-Request-Id": "r".repeat(64) };
    const response = await app.fetch(
      new Request(`https://${long}${path}`, { method: "POST", headers }),
      settings,
      context,
    );
    await waitOnExecutionContext(context);
    expect(response.status).toBe(402);
    const bytes = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    expect(bytes).toBeLessThan(4096);
    expect(response.headers.get("Link")).toBe('</openapi.json>; rel="service-desc"');
    const { accepts } = await response.json<{ accepts: { outputSchema: { input: { bodyFields: object } } }[] }>();
    expect(Object.keys(accepts[0]!.outputSchema.input.bodyFields)).toContain("opacity");
  });

  test("fits a header in version 2, and so does what clients send back", () => {
    const header = paymentRequiredHeaders(new PaymentRequired(offer, "x".repeat(200)))["PAYMENT-REQUIRED"]!;
    expect(header.length).toBeLessThan(6500);
    const { resource, accepts, extensions } = JSON.parse(atob(header));
    const payload = { signature: `0x${"1".repeat(130)}`, authorization: "x".repeat(500) };
    const sent = { x402Version: 2, resource, accepted: accepts[0], payload, extensions };
    expect(btoa(JSON.stringify(sent)).length).toBeLessThan(6500);
  });

  test.each(NETWORK_NAMES)("can be paid on %s in both versions, and it is the same payment", async (network) => {
    const terms = offer.v1.find((requirement) => requirement.network === network)!;
    const v1 = readPaymentPayload(await signPayment(terms as never), offer);
    const v2 = readPaymentPayload(await signPaymentV2(terms as never), offer);
    for (const payment of [v1, v2]) {
      expect(payment.network).toBe(network);
      expect(await localFacilitator.verify(payment)).toEqual({ outcome: "valid" });
      const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(payment.request);
      expect(paymentPayload.x402Version).toBe(x402Version);
      expect(paymentRequirements).toEqual((x402Version === 1 ? offer.v1 : offer.v2)[NETWORK_NAMES.indexOf(network)]);
    }
    const { signature, authorization } = v1;
    const { accepted } = JSON.parse(v2.request).paymentPayload;
    const rewritten = readPaymentPayload({ x402Version: 2, accepted, payload: { signature, authorization } }, offer);
    expect(paymentKey(rewritten)).toBe(paymentKey(v1));
    expect(paymentKey(v2)).not.toBe(paymentKey(v1));
  });
});

test("a payment is read from base64, from JSON, and as an object", async () => {
  const encoded = await signPaymentV2(offer.v1[0] as never);
  const json = atob(encoded);
  const payments = [encoded, json, JSON.parse(json) as object].map((sent) => readPaymentPayload(sent, offer));
  expect(payments[1]).toEqual(payments[0]);
  expect(payments[2]).toEqual(payments[0]);
});
