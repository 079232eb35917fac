import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { app } from "../../src/app.ts";
import type { RecordsPage } from "../../src/payments/ledger/records.ts";
import { ORIGIN } from "../support/client.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

async function ask(query: string, init: RequestInit = {}, token = TOKEN, settings: object = { SELLING: "false" }) {
  const context = createExecutionContext();
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const request = new Request(new URL(`/v1/operator/records?${query}`, ORIGIN), { ...init, headers });
  const response = await app.fetch(request, { ...env, OPERATOR_TOKEN: TOKEN, ...settings }, context);
  await waitOnExecutionContext(context);
  return response;
}
const put = (object: string, page: object, settings?: object) =>
  ask(`object=${object}`, { method: "POST", body: JSON.stringify(page) }, TOKEN, settings);
const read = async (query: string) => (await ask(query)).json<RecordsPage>();

const listed = (payment: string) => ({ payment, at: 1, expiresAt: Date.now() + 3_600_000 });

test("a restore adds missing records and the alarm, but never replaces a record", async () => {
  const object = "purchases:0x00000000000000000000000000000000000000a1";
  const alarm = Date.now() + 1_000_000;
  const records = [
    ["purchase:000000000000001:a", listed("a")],
    ["purchase:000000000000002:b", listed("b")],
  ];
  expect(await (await put(object, { alarm, records: records.slice(0, 1) })).json()).toEqual({ restored: 1 });
  const changed = [["purchase:000000000000001:a", listed("changed")], records[1]];
  expect(await (await put(object, { alarm: alarm + 1, records: changed })).json()).toEqual({ restored: 1 });
  expect(await read(`object=${object}`)).toEqual({ version: 1, alarm, records, next: null });
});

test("the records of a large Durable Object are listed in pages without gaps or duplicates", async () => {
  const object = "purchases:0x00000000000000000000000000000000000000a2";
  const keys = Array.from({ length: 750 }, (_, n) => `purchase:${String(n).padStart(15, "0")}:p`);
  for (const part of [keys.slice(0, 400), keys.slice(400)])
    await put(object, { alarm: null, records: part.map((key) => [key, listed(key)]) });
  const first = await read(`object=${object}`);
  const second = await read(`object=${object}&after=${first.next}`);
  expect([...first.records, ...second.records].map(([key]) => key)).toEqual(keys);
  expect([first.records.length, second.next]).toEqual([500, null]);
});

test("reading the records requires OPERATOR_TOKEN and a ledger object's name, and a restore requires SELLING=false", async () => {
  expect((await ask("object=payments", {}, "wrong")).status).toBe(403);
  for (const query of ["", "object=quote:1", "object=payments/"]) expect((await ask(query)).status).toBe(400);
  const page = { alarm: null, records: [] };
  expect((await put("payments", page, {})).status).toBe(400);
  for (const wrong of [
    { records: [["a"]] },
    { ...page, alarm: Number.MAX_SAFE_INTEGER },
    { ...page, version: -1 },
    { ...page, records: [["", 1]] },
  ])
    expect((await put("payments", wrong)).status).toBe(400);
  expect((await put("payments", page)).status).toBe(200);
  const newer = await put("payments", { ...page, version: 2 });
  expect([newer.status, await newer.json()]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining("newer version of Overprint") }),
  ]);
  expect((await ask("object=payments", { method: "PUT" })).status).toBe(405);
});
