import { createExecutionContext, runDurableObjectAlarm, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { type BookedSale, daybookOf, dayOf } from "../../src/payments/ledger/daybook.ts";
import { salesPage } from "../../src/service/account/sales.ts";
import { callPaid, dataUri, ORIGIN, offerOf, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const SALES = "/v1/operator/sales";

async function ask(path: string, { token, ...init }: RequestInit & { token?: string } = {}, settings: object = {}) {
  const context = createExecutionContext();
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  const environment = { ...env, OPERATOR_TOKEN: TOKEN, ...settings };
  const response = await app.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }), environment, context);
  await waitOnExecutionContext(context);
  return response;
}
const read = async (day: string, after = "") =>
  salesPage().parse(await (await ask(`${SALES}?day=${day}${after}`, { token: TOKEN })).json());

const body = { file: dataUri("application/pdf", onePage), text: "A" };

/** Buys a result and returns the name of the payment's ledger object. */
async function buy(): Promise<string> {
  const offer: Offer = await offerOf(TEXT);
  const payment = await signPayment(offer);
  expect((await callPaid(TEXT, body, payment)).status).toBe(200);
  const { authorization } = JSON.parse(atob(payment)).payload;
  return `eip155:84532:${offer.asset}:${authorization.from}:${authorization.nonce}`.toLowerCase();
}

describe("the sales list", () => {
  test("the sales list contains each sale once, with its payer, amount and recipient", async () => {
    const payment = await buy();
    const today = dayOf(Date.now());
    const { sales, networks, next } = await vi.waitUntil(async () => {
      const page = await read(today);
      return page.sales.length > 0 && page;
    });
    expect(next).toBeNull();
    expect(sales).toEqual([
      expect.objectContaining({ network: "base-sepolia", decimals: 6, amount: "50000", proved: true }),
    ]);
    expect(payment).toContain(sales[0]!.payer.toLowerCase());
    expect(networks).toEqual([expect.objectContaining({ network: "base-sepolia", pay_to: sales[0]!.pay_to })]);
    expect(await runDurableObjectAlarm(env.LEDGER.getByName(payment)), "a second run of the ledger's alarm").toBe(true);
    expect((await read(today)).sales).toHaveLength(1);
  });

  test("the pages of a day's sales list together contain each sale exactly once", async () => {
    const at = Date.parse("2026-01-31T23:59:00Z");
    const book = env.LEDGER.getByName(daybookOf(dayOf(at)));
    const sale = (n: number): BookedSale => ({
      ...{ payment: `payment-${n}`, requestId: `${n}`, settledAt: at + (n % 7), network: "base", chain: "eip155:8453" },
      ...{ decimals: 6, asset: "0x1", payer: "0x2", payTo: "0x3", amount: "50000", transaction: "", proved: false },
    });
    for (let n = 0; n < 1001; n++) await book.bookSale(sale(n));
    for (let n = 0; n < 5; n++) await book.bookSale(sale(n));
    const ids = new Set<string>();
    let pages = 0;
    for (let after: string | null = ""; after !== null; pages++) {
      const page = await read("2026-01-31", after && `&after=${after}`);
      for (const { request_id } of page.sales) ids.add(request_id);
      after = page.next;
    }
    expect([ids.size, pages]).toEqual([1001, 3]);
    expect((await read("2026-02-01")).sales).toEqual([]);
  });

  test("the service returns the sales list only with OPERATOR_TOKEN, and forbids CORS access and caching", async () => {
    const path = `${SALES}?day=2026-11-22`;
    const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
    expect(await status(path, { token: TOKEN }, { OPERATOR_TOKEN: "" })).toBe(404);
    for (const token of [undefined, "", "x", TOKEN.slice(1), `${TOKEN}0`, TOKEN.toUpperCase()])
      expect(await status(path, token === undefined ? {} : { token })).toBe(403);
    const answer = await ask(path, { token: TOKEN, headers: { Origin: "https://elsewhere.example" } });
    expect([answer.status, answer.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBeNull();
    const asking = { "Access-Control-Request-Method": "GET", Origin: "https://elsewhere.example" };
    const preflight = await ask(path, { method: "OPTIONS", headers: asking });
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBeNull();
    for (const wrong of [
      "",
      "?day=22.11.2026",
      "?day=2026-13-01",
      "?day=2026-02-30",
      "?day=2026-04-31",
      "?day=2027-02-29",
      "?day=2026-11-22&after=x",
    ])
      expect(await status(SALES + wrong, { token: TOKEN })).toBe(400);
  });

  test("the service rate-limits wrong operator tokens by address", async () => {
    const from = { token: "guess", headers: { "CF-Connecting-IP": "192.0.2.77" } };
    const limit = vi.fn(async () => ({ success: false }));
    const refused = await ask(`${SALES}?day=2026-11-22`, from, { WRONG_TOKENS: { limit } });
    expect([refused.status, limit.mock.calls]).toEqual([429, [[{ key: "192.0.2.77" }]]]);
  });

  test("the ledger deletes a day's sales list after 400 days", async () => {
    const book = env.LEDGER.getByName(daybookOf("2020-01-01"));
    const settledAt = Date.parse("2020-01-01T12:00:00Z");
    const chain = { network: "base", chain: "eip155:8453", decimals: 6, asset: "0x1" };
    const moved = { payer: "0x2", payTo: "0x3", amount: "50000", transaction: "", proved: true };
    await book.bookSale({ payment: "old", requestId: "1", settledAt, ...chain, ...moved });
    await vi.waitFor(async () => expect(await book.bookedSales(undefined, 10)).toEqual([]));
  });
});

test("the health check rejects an OPERATOR_TOKEN shorter than 32 characters as an invalid setting", async () => {
  const health = await ask("/healthz", {}, { OPERATOR_TOKEN: "short" });
  expect([health.status, await health.text()]).toEqual([503, expect.stringContaining("OPERATOR_TOKEN")]);
});
