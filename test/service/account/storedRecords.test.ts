import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { privateKeyToAccount } from "viem/accounts";
import { beforeAll, expect, test, vi } from "vitest";
import design from "../../../docs/design/storage.md?raw";
import { DEVELOPMENT_KEY } from "../../../src/payments/facilitators/localFacilitator.ts";
import { daybookOf, dayOf } from "../../../src/payments/ledger/daybook.ts";
import { keyNameOf } from "../../../src/payments/ledger/keyBinding.ts";
import { purchasesOf } from "../../../src/payments/ledger/purchaseList.ts";
import type { Entry } from "../../../src/payments/ledger/record.ts";
import { payerAccount } from "../../../src/service/limits/quota.ts";
import { UPLOADS } from "../../../src/settings/limits.ts";
import { callPaid, formOf, send, TEXT } from "../../support/client.ts";
import { onePage } from "../../support/pdf.ts";
import { bucket, storedKeys } from "../../support/storage.ts";

const KEY = "a-key-of-these-tests";
const PAYER = privateKeyToAccount(DEVELOPMENT_KEY).address;

type Json = Record<string, unknown>;

/** Returns the JSON sample below a heading of docs/design/storage.md. */
function sampleOf(heading: string, index = 0): unknown {
  const [, section = ""] = design.split(`\n### ${heading}\n`);
  const blocks = Array.from(section.split(/\n##+ /)[0]!.matchAll(/^```json\n(.*?)^```$/gms), ([, json]) => json!);
  return JSON.parse(blocks[index]!);
}

/**
 * Returns the names of all fields of a record, such as `work.value`. The fields of an array are those of its first
 * element.
 */
function fieldsOf(record: unknown, prefix = ""): string[] {
  if (Array.isArray(record)) return record.length === 0 ? [] : fieldsOf(record[0], `${prefix}[]`);
  if (typeof record !== "object" || record === null) return [];
  return Object.entries(record)
    .flatMap(([name, value]) => [`${prefix}${name}`, ...fieldsOf(value, `${prefix}${name}.`)])
    .toSorted();
}

const storageOf = <T>(name: string, read: (storage: DurableObjectStorage) => T) =>
  runInDurableObject(env.LEDGER.getByName(name), (_, { storage }) => read(storage));
const valueUnder = (prefix: string) => (storage: DurableObjectStorage) => [...storage.kv.list({ prefix })][0]![1];

let paymentName = "";
beforeAll(async () => {
  const response = await callPaid(TEXT, formOf({ file: new Blob([onePage]), text: "A" }), undefined, KEY);
  expect(response.status).toBe(200);
  const [purchase] = await env.LEDGER.getByName(purchasesOf(PAYER)).newestPurchases(undefined, 1);
  paymentName = purchase!.payment;
});

const claimed = () => sampleOf("A payment") as Json;
/**
 * Returns the documented sample of a payment in the state `state`. Adds the fields of a claimed payment that this state
 * also has, because the sample omits them.
 */
function stateSample(state: string): Json {
  const samples = sampleOf("A payment", 1) as Json[];
  const { "…": _, ...sample } = samples.find((one) => one.state === state)!;
  const { claim: __, leaseEnds: ___, ...shared } = claimed();
  const { work } = samples[0]!;
  return { ...shared, ...sample, ...("work" in sample && { work }) };
}

test("docs/design/storage.md shows the stored fields of a settled payment", async () => {
  const entry = await storageOf(paymentName, (storage) => storage.kv.get<Entry>("entry"));
  const { unproved: _, unbooked: __, ...sample } = stateSample("settled");
  const { unbooked: ___, ...stored } = entry as Entry & { unbooked?: unknown };
  expect(fieldsOf(stored)).toEqual(fieldsOf(sample));
});

test("docs/design/storage.md shows the fields of every other state of a payment", () => {
  type Of<State extends Entry["state"]> = Extract<Entry, { state: State }>;
  type Fields<State extends Entry["state"]> = Record<keyof Of<State>, true>;
  const call = {
    state: true,
    fingerprint: true,
    payment: true,
    facilitator: true,
    signers: true,
    requestId: true,
  } as const;
  const states: { [State in Exclude<Entry["state"], "settled">]: Fields<State> } = {
    claimed: { ...call, claim: true, leaseEnds: true },
    settling: { ...call, work: true, attempts: true, doubt: true, firstAsked: true, nextAt: true, transaction: true },
    exposed: { ...call, work: true, attempts: true, firstAsked: true, nextAt: true },
    burned: call,
  };
  for (const [state, fields] of Object.entries(states)) {
    const sample = state === "claimed" ? claimed() : stateSample(state);
    expect([state, ...Object.keys(sample).toSorted()]).toEqual([state, ...Object.keys(fields).toSorted()]);
  }
});

test("docs/design/storage.md shows the stored fields of an idempotency key", async () => {
  const bound = await storageOf(await keyNameOf(PAYER, KEY), (storage) => storage.kv.get<Json>("bound"));
  const sample = sampleOf("An idempotency key") as Json;
  expect(Object.keys(bound!).toSorted()).toEqual(Object.keys(sample).toSorted());
});

test("docs/design/storage.md shows the stored fields of a payer's lists and of the daybook", async () => {
  const listed = await storageOf(purchasesOf(PAYER), valueUnder("purchase:"));
  expect(fieldsOf(listed)).toEqual(fieldsOf(sampleOf("Purchases of a payer")));
  const booked = await vi.waitFor(() => storageOf(daybookOf(dayOf(Date.now())), valueUnder("sale:")));
  expect(fieldsOf(booked)).toEqual(fieldsOf(sampleOf("The sales of a day")));
  await env.LEDGER.getByName("payer:test").allowUnproved("a payment");
  const trusted = await storageOf("payer:test", (storage) => storage.kv.get("trusted"));
  for (const pairs of [trusted, sampleOf("Payments sold without proof")])
    expect(pairs).toEqual([[expect.any(String), expect.any(Number)]]);
});

test("docs/design/storage.md shows the stored fields of quotas", async () => {
  const name = payerAccount({ authorization: { from: PAYER } } as Parameters<typeof payerAccount>[0]);
  const budget = env.BUDGETS.getByName(`${name}-of-a-test`);
  await budget.begin("a payment", 1, { payments: 1, calls: 1, unchargedMs: 1, unchargedBytes: 1, leaseMs: 60_000 });
  await budget.registerUpload(1, { slots: 1, bytes: 1, ms: 60_000 });
  const [account, slots] = await runInDurableObject(budget, (_, { storage }) => [
    storage.kv.get<Json>("account")!,
    storage.kv.get("slots"),
  ]);
  const sample = sampleOf("A quota") as Json;
  expect(Object.keys(account!).toSorted()).toEqual(Object.keys(sample).toSorted());
  expect(fieldsOf(Object.values(account!.inUse!))).toEqual(fieldsOf(Object.values(sample.inUse!)));
  expect(fieldsOf(slots)).toEqual(fieldsOf(sampleOf("Counted uploads")));
});

test("docs/design/storage.md shows the stored fields of results and uploads", async () => {
  const [result = ""] = (await storedKeys()).filter((key) => key.startsWith("results/"));
  const { httpMetadata, customMetadata } = (await bucket.head(result))!;
  const sample = sampleOf("Results") as Json;
  const given = JSON.parse(JSON.stringify({ httpMetadata, customMetadata })) as Json; // Drops undefined fields.
  expect(fieldsOf(given)).toEqual(fieldsOf(sample));
  const fields = { name: "contract.pdf", size: onePage.length, type: "pdf" };
  const opened = await send("/v1/uploads", { method: "POST", body: JSON.stringify(fields) });
  const { upload } = await opened.json<{ upload: { url: string } }>();
  const headers = { "Content-Length": String(onePage.length) };
  expect((await send(upload.url, { method: "PUT", headers, body: onePage })).status).toBe(200);
  const [slot = ""] = (await storedKeys()).filter((key) => /^uploads\/\d+\/\d+-[0-9a-f]+$/.test(key));
  expect(fieldsOf(await (await bucket.get(slot, {}))!.json())).toEqual(fieldsOf(sampleOf("Uploads")));
});

test("docs/design/storage.md shows the stored fields of the parts of an upload", async () => {
  const normal = { ...UPLOADS };
  Object.assign(UPLOADS, { partBytes: onePage.length });
  const opened = await send("/v1/uploads", { method: "POST", body: JSON.stringify({ size: onePage.length + 1 }) });
  Object.assign(UPLOADS, normal);
  const { parts } = await opened.json<{ parts: { urls: string[] } }>();
  const headers = { "Content-Length": String(onePage.length) };
  expect((await send(parts.urls[0]!, { method: "PUT", headers, body: onePage })).status).toBe(200);
  const keys = (await storedKeys("uploads/")).filter((key) => /-parts?\b/.test(key));
  const records = await Promise.all(keys.map(async (key) => (await bucket.get(key, {}))!.json()));
  const samples = [sampleOf("Parts of an upload", 1), sampleOf("Parts of an upload")];
  expect(records.map((record) => fieldsOf(record))).toEqual(samples.map((sample) => fieldsOf(sample)));
});
