import { expect, test } from "vitest";
import type { Notice } from "../../src/engine/index.ts";
import { delivered, paymentRequired } from "../../src/mcp/results.ts";
import { isSolana, NETWORKS } from "../../src/payments/wire/networks.ts";
import { offerOf, PaymentRequired } from "../../src/payments/wire/offer.ts";
import type { Result } from "../../src/service/request/schemas.ts";
import { readConfig } from "../../src/settings/config.ts";

const output = {
  url: "https://pdf.example.com/v1/files/1.pdf?token=2",
  expires_at: "2026-11-22T09:00:00.000Z",
  pages: 1,
  bytes: 9,
};
const result: Result = { output, operation: "watermark.text", cost: "0.05 USDC" };
const receipt = { success: true, transaction: "0x1", network: "eip155:84532", payer: "0x2" };

const text = (...notices: Notice[]) =>
  JSON.stringify(
    delivered({
      value: { result, notices, filename: "a.pdf" },
      receipt,
      isPaidEarlier: false,
      settledAt: 0,
      paid: undefined,
    }),
  );

test("a tool result reports that the mark invalidated a signature or PDF/A conformance", () => {
  expect(text("signatures-invalidated")).toContain("signatures are no longer valid");
  expect(text()).not.toContain("signature");
  expect(text("pdfa-transparency", "pdfa-color")).toMatch(/the mark is transparent.*does not allow the image/);
});

test("a tool result reports that the attachments of a portfolio are not marked", () => {
  expect(text("attachments-not-marked")).toContain("attached to it are not watermarked");
});

test("a tool result names the pages on which the text is cut short", () => {
  expect(text('text-cut;pages="1-3 7"')).toContain("was cut short there: pages 1-3, 7.");
  expect(text('text-cut;pages="12"')).toContain("was cut short there: page 12.");
});

test("a tool result contains the receipt of a failed settlement and the terms", () => {
  const offer = offerOf({ url: "mcp://tool/t", description: "", outputSchema: {}, bazaar: {} }, readConfig({}));
  const failed = { ...receipt, success: false, errorReason: "insufficient_funds", transaction: "" };
  expect(
    paymentRequired(
      new PaymentRequired(offer, "insufficient_funds", { version: 2, receipt: failed }),
      "This costs.",
      [],
    ),
  ).toMatchObject({
    isError: true,
    content: [{}, { text: "This costs." }],
    structuredContent: { x402Version: 2, error: "insufficient_funds", accepts: offer.v2 },
    _meta: { "x402/payment-response": failed },
  });
});

test("an unpaid tool result starts with the terms, and its content takes at most 4 KB even with all networks", () => {
  const account = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU";
  const networks = Object.values(NETWORKS).map((network) =>
    isSolana(network) ? { ...network, feePayers: { 1: [account], 2: [account] } } : network,
  );
  const resource = {
    url: "https://pdf.example.com/mcp",
    description: "D".repeat(80),
    outputSchema: {},
    bazaar: { a: "b" },
  };
  const offer = offerOf(resource, { ...readConfig({ PAY_TO_SOLANA: account }), networks });
  expect(offer.v2.length).toBe(networks.length);
  const { content, structuredContent } = paymentRequired(new PaymentRequired(offer, "reason"), "S".repeat(300), []);
  const [first] = content as { text: string }[];
  expect(JSON.parse(first!.text)).toMatchObject({ x402Version: 2, error: "reason", accepts: offer.v2 });
  expect(JSON.stringify(content)).not.toContain("bazaar");
  expect(structuredContent).toHaveProperty("extensions.bazaar", resource.bazaar);
  expect(new TextEncoder().encode(JSON.stringify(content)).length).toBeLessThanOrEqual(4096);
});
