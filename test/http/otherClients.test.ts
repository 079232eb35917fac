import { expect, test } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { dataUri, offerOf, send, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { decodeHeader, termsV2 } from "../support/x402.ts";

/**
 * Recorded requests of clients whose packages this project does not install. `npm run check:clients` records them, and
 * runs the clients themselves.
 */

const body = { file: dataUri("application/pdf", onePage), text: "PAID" };
const encode = (payment: object) => btoa(JSON.stringify(payment));

/**
 * Signs a version 2 payment and returns its parts.
 * @param terms one of the offered ways to pay
 */
async function newPayment(terms: object = {}) {
  const { amount, network: _, ...way } = terms as { amount?: string; network?: string };
  const offer = { ...(await offerOf(TEXT)), ...way, ...(amount !== undefined && { maxAmountRequired: amount }) };
  const { accepted, payload } = decodeHeader(await signPaymentV2(offer)) as Record<"accepted" | "payload", object>;
  return { accepted, payload };
}

test.each<[string, Record<string, string>, (terms: Record<string, unknown>) => Promise<object>]>([
  [
    "@faremeter/fetch 0.22",
    { Accept: "*/*" },
    async ({ resource }) => ({ x402Version: 2, ...(await newPayment()), resource }),
  ],
  [
    "mppx 0.11 (with all extensions of the terms)",
    { Accept: "application/json", "User-Agent": "mppx/0.11.0" },
    async ({ extensions, resource }) => {
      const { accepted, payload } = await newPayment();
      return { accepted, extensions, payload, resource, x402Version: 2 };
    },
  ],
])("a request of the client %s buys a result", async (_, headers, pay) => {
  const call = (more: Record<string, string> = {}) =>
    send(TEXT, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers, ...more },
      body: JSON.stringify(body),
    });
  const unpaid = await call();
  const terms = decodeHeader(unpaid.headers.get("PAYMENT-REQUIRED")!) as Record<string, unknown>;
  const paid = await call({ "PAYMENT-SIGNATURE": encode(await pay(terms)) });
  expect([unpaid.status, paid.status]).toEqual([402, 200]);
  expect(result.parse(await paid.json()).output.pages).toBe(1);
});

test("two recorded payments of @apify/mcpc 0.2 buy one result each, the second after a refusal", async () => {
  const { tools } = await (await connect("2025-11-25")).listTools();
  const { paymentRequired, ...way } = tools[0]!._meta!.x402 as { paymentRequired: boolean };
  expect(paymentRequired).toBe(true);
  const first = await newPayment(way);
  const elsewhere = { url: "https://mcp.apify.com/mcp", description: "MCP Server", mimeType: "application/json" };
  const buy = async (text: string, payment: object, resource: object) => {
    const sent = { x402Version: 2, resource, ...payment };
    const client = await connect("2025-11-25", { "PAYMENT-SIGNATURE": encode(sent) });
    const call = { name: tools[0]!.name, arguments: { ...body, text }, _meta: { "x402/payment": sent } };
    return client.callTool(call);
  };

  const one = await buy("ONE", first, elsewhere);
  const refused = await buy("TWO", first, elsewhere);
  expect(refused.isError).toBe(true);
  const { resource, accepts } = termsV2.parse(refused.structuredContent);
  const two = await buy("TWO", await newPayment(accepts[0]), resource);
  const urls = [one, two].map(({ structuredContent }) => result.parse(structuredContent).output.url);
  expect(new Set(urls).size).toBe(2);
});
