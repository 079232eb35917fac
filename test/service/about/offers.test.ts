import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { DEFAULT_ASSETS } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { EVM_NETWORK_CHAIN_ID_MAP } from "@x402/evm/v1";
import { privateKeyToAccount } from "viem/accounts";
import { usdc } from "viem/tokens";
import { describe, expect, test } from "vitest";
import { signPayment, signPaymentV2 } from "../../../scripts/lib/pay.ts";
import { app } from "../../../src/app.ts";
import { paymentRequiredHeaders } from "../../../src/http/paymentHeaders.ts";
import { DEVELOPMENT_KEY, localFacilitator } from "../../../src/payments/facilitators/localFacilitator.ts";
import { type EvmNetwork, isSolana, NETWORKS, type Network } from "../../../src/payments/wire/networks.ts";
import { offerOf, PaymentRequired } from "../../../src/payments/wire/offer.ts";
import { paymentKey, readPaymentPayload } from "../../../src/payments/wire/paymentPayload.ts";
import { paymentRequiredV1 } from "../../../src/payments/wire/renderings.ts";
import { httpResource } from "../../../src/service/about/discovery.ts";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { dataUri, ORIGIN, TEXT } from "../../support/client.ts";
import { FEE_PAYERS } from "../../support/internet.ts";
import { onePage } from "../../support/pdf.ts";
import { decodeHeader, strict402, V1_NETWORKS } from "../../support/x402.ts";

/** Address of the seller's wallet on Solana. */
const SELLER = FEE_PAYERS[1]!;
const ALL: Network[] = Object.values(NETWORKS).map((network) =>
  isSolana(network) ? { ...network, feePayers: { 1: FEE_PAYERS, 2: FEE_PAYERS } } : network,
);
const SOLANA = ALL.filter(isSolana);
const EVM = ALL.filter((network): network is EvmNetwork => !isSolana(network));
const IN_BOTH = ALL.filter(({ name }) => V1_NETWORKS.includes(name));
const V2_ONLY = ALL.filter(({ name }) => !V1_NETWORKS.includes(name));
const config = readConfig({ PAY_TO_SOLANA: SELLER });
const [product] = PRODUCTS;
const HOST = "https://a-rather-long-name-of-a-host.overprint.example.com";
const offer = offerOf(httpResource(product!, HOST, config), { ...config, networks: ALL });

describe("an offer of every network", () => {
  test("the strict x402 version 1 client accepts a 402 that offers all networks of version 1", () => {
    const { accepts } = strict402.parse(paymentRequiredV1(offer, "X-PAYMENT header is required"));
    expect(accepts.map(({ network }) => network)).toEqual(IN_BOTH.map(({ name }) => name));
  });

  test.each(EVM.filter(({ name }) => name in EVM_NETWORK_CHAIN_ID_MAP))(
    "an offer names the chain that the official x402 client knows as $name",
    ({ name, chainId }) => {
      expect(chainId).toBe((EVM_NETWORK_CHAIN_ID_MAP as Record<string, number>)[name]);
    },
  );

  test.each(EVM)("an offer names the USDC token contract that wallets know on $name", ({ chainId, asset }) => {
    expect(asset).toBe((usdc.addresses as Record<number, string>)[chainId]);
  });

  test.each(EVM.filter(({ caip2 }) => caip2 in DEFAULT_ASSETS))(
    "an offer names the USDC contract that the official x402 client knows on $name",
    ({ caip2, asset, domain }) => {
      expect(DEFAULT_ASSETS[caip2]).toContainEqual({ asset, ...domain, decimals: 6, symbol: "USDC" });
    },
  );

  test.each(PRODUCTS)("an offer of five networks takes at most 4 KB of headers: $operation", async ({ path }) => {
    const long = "a-rather-long-name-of-a-host.overprint.example.com";
    const length = (network: Network) => JSON.stringify(network).length;
    const networks = [SOLANA[0]!, ...EVM.toSorted((a, b) => length(b) - length(a)).slice(0, 4)];
    const references = networks.map(({ caip2 }) => caip2.split(":")[1]).join(".");
    const names = networks.map(({ name }) => name.replace("-", "_")).join(".");
    const settings = {
      ...env,
      NETWORKS: networks.map(({ name }) => name).join(),
      PRICE: "123.456789",
      FACILITATOR_URL: `https://facilitator.example.com/settles-${references}-${names}`,
      PAY_TO_SOLANA: SELLER,
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
    const terms = decodeHeader(response.headers.get("PAYMENT-REQUIRED")!) as { accepts: object[] };
    expect(terms.accepts).toHaveLength(5);
    expect(Object.keys(accepts[0]!.outputSchema.input.bodyFields)).toContain("opacity");
  });

  test("a version 2 offer of all networks fits into a header, as does the client's payment", () => {
    const header = paymentRequiredHeaders(new PaymentRequired(offer, "x".repeat(200)))["PAYMENT-REQUIRED"]!;
    expect(header.length).toBeLessThan(6500);
    const { resource, accepts, extensions } = JSON.parse(atob(header));
    const payload = { signature: `0x${"1".repeat(130)}`, authorization: "x".repeat(500) };
    const sent = { x402Version: 2, resource, accepted: accepts[0], payload, extensions };
    expect(btoa(JSON.stringify(sent)).length).toBeLessThan(6500);
  });

  test.each(V2_ONLY)("an offer on $name can be paid in x402 version 2", async ({ name: network, caip2 }) => {
    const { amount, ...terms } = offer.v2.find((requirement) => requirement.network === caip2)!;
    const v2 = readPaymentPayload(
      await signPaymentV2({ ...terms, maxAmountRequired: amount, network } as never),
      offer,
    );
    expect(v2.network).toBe(network);
    expect(await localFacilitator.verify(v2)).toEqual({ outcome: "valid" });
  });

  const signable = IN_BOTH.filter((network) => !isSolana(network));
  test.each(signable)(
    "an offer on $name can be paid in both x402 versions, and one authorization has the same payment key in both",
    async (chain) => {
      const network = chain.name;
      const terms = offer.v1.find((requirement) => requirement.network === network)!;
      const v1 = readPaymentPayload(await signPayment(terms as never), offer);
      const v2 = readPaymentPayload(await signPaymentV2(terms as never), offer);
      for (const payment of [v1, v2]) {
        expect(payment.network).toBe(network);
        expect(await localFacilitator.verify(payment)).toEqual({ outcome: "valid" });
        const { x402Version, paymentPayload, paymentRequirements } = JSON.parse(payment.request);
        expect(paymentPayload.x402Version).toBe(x402Version);
        const asked = (x402Version === 1 ? offer.v1 : offer.v2) as { network: string }[];
        const name = x402Version === 1 ? network : chain.caip2;
        expect(paymentRequirements).toEqual(asked.find((requirement) => requirement.network === name));
      }
      const { signature, authorization } = v1;
      const { accepted } = JSON.parse(v2.request).paymentPayload;
      const rewritten = readPaymentPayload({ x402Version: 2, accepted, payload: { signature, authorization } }, offer);
      expect(paymentKey(rewritten)).toBe(paymentKey(v1));
      expect(paymentKey(v2)).not.toBe(paymentKey(v1));
    },
  );
});

test("a payment is accepted as base64, as JSON, and as an object", async () => {
  const encoded = await signPaymentV2(offer.v1[0] as never);
  const json = atob(encoded);
  const payments = [encoded, json, JSON.parse(json) as object].map((sent) => readPaymentPayload(sent, offer));
  expect(payments[1]).toEqual(payments[0]);
  expect(payments[2]).toEqual(payments[0]);
});

test("facilitators receive only the validated fields of a payment", async () => {
  const sent = JSON.parse(atob(await signPaymentV2(offer.v1[0] as never)));
  const { signature, authorization } = sent.payload;
  const stranger = { from: `0x${"05".repeat(20)}` };
  const beside = {
    ...sent.payload,
    permit2Authorization: stranger,
    authorization: { ...authorization, permit: stranger },
  };
  const v1 = { x402Version: 1, scheme: "exact", network: offer.v1[0]!.network };
  for (const payment of [sent, v1]) {
    const { request } = readPaymentPayload({ ...payment, payload: beside }, offer);
    expect(JSON.parse(request).paymentPayload.payload).toEqual({ signature, authorization });
  }
});

describe("a network that an operator adds", () => {
  const EXTRA_NETWORKS = JSON.stringify({
    "my-chain": {
      chainId: 123456,
      asset: "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
      name: "My Dollar",
      version: "1",
      decimals: 18,
    },
  });
  const settings = { ...env, NETWORKS: "base-sepolia,my-chain", EXTRA_NETWORKS };
  const call = async (path: string, init: RequestInit = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(new Request(`${ORIGIN}${path}`, { method: "POST", ...init }), settings, context);
    await waitOnExecutionContext(context);
    return response;
  };

  test("a network that the operator adds is offered only in x402 version 2, where the official client can pay", async () => {
    const unpaid = await call(TEXT);
    const { accepts } = strict402.parse(await unpaid.json());
    expect(accepts.map(({ network }) => network)).toEqual(["base-sepolia"]);
    const terms = JSON.parse(atob(unpaid.headers.get("PAYMENT-REQUIRED")!));
    const [, offered] = terms.accepts;
    expect(offered).toMatchObject({
      network: "eip155:123456",
      amount: "50000000000000000",
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      extra: { name: "My Dollar", version: "1" },
    });

    const client = new ExactEvmScheme(privateKeyToAccount(DEVELOPMENT_KEY));
    const payment = { ...(await client.createPaymentPayload(2, offered)), accepted: offered };
    const paid = await call(TEXT, {
      headers: { "PAYMENT-SIGNATURE": btoa(JSON.stringify(payment)), "Content-Type": "application/json" },
      body: JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" }),
    });
    expect(paid.status).toBe(200);
    expect(JSON.parse(atob(paid.headers.get("PAYMENT-RESPONSE")!))).toMatchObject({ network: "eip155:123456" });
  });

  test("the guide for agents names a network that the operator adds", async () => {
    expect(await (await call("/llms.txt", { method: "GET" })).text()).toContain("Networks: base-sepolia, my-chain.");
  });
});
