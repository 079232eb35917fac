/** Tests that the ledger opens the records of earlier builds, and refuses those of newer builds. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { channelNameOf, channelPaymentOf } from "../../../src/payments/channels/channelRecord.ts";
import type { Call } from "../../../src/payments/ledger/record.ts";
import { RECORD_VERSION } from "../../../src/payments/ledger/recordStorage.ts";
import type { Network } from "../../../src/payments/wire/networks.ts";
import type { Ledger } from "../../../src/service/account/ledger.ts";
import type { Budget } from "../../../src/service/limits/quota.ts";
import { storeResult } from "../../../src/storage/results.ts";
import { uploadAt, uploadedFile } from "../../../src/storage/uploads.ts";
import { inOne } from "../../support/bytes.ts";
import { send } from "../../support/client.ts";
import { bucket } from "../../support/storage.ts";

const [FROM, PAY_TO] = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"];
const HOUR_MS = 3_600_000;
const NOW = Date.now();
const DAY = "2026-11-24";
const SETTLED_AT = Date.parse(`${DAY}T12:00:00Z`);

/**
 * The constants from `CHAIN` to `SALE` have the form in which version 0.1.0 stored them, at its last commit (the parent
 * of a82c2acb). Version 0.2.0 stored the same form.
 */
const CHAIN = {
  name: "base-sepolia",
  chainId: 84532,
  caip2: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  decimals: 6,
  domain: { name: "USDC", version: "2" },
  versions: [1, 2],
} satisfies Network;
const paymentOf = (nonce: string) => `eip155:84532:${CHAIN.asset}:${FROM}:${nonce}`.toLowerCase();
const REQUEST = JSON.stringify({
  x402Version: 1,
  paymentPayload: { x402Version: 1, scheme: "exact", network: "base-sepolia" },
  paymentRequirements: { scheme: "exact", network: "base-sepolia", maxAmountRequired: "50000" },
});
const callOf = (nonce: string): Call => ({
  fingerprint: "request",
  payment: {
    version: 1,
    network: "base-sepolia",
    chain: CHAIN,
    authorization: {
      ...{ from: FROM, to: PAY_TO, value: "50000", validAfter: "0", nonce },
      validBefore: String(Math.floor(NOW / 1000) + 300),
    },
    ...{ signature: `0x${"1b".repeat(65)}`, request: REQUEST, identifier: null },
  },
  facilitator: "https://facilitator.example.com/good",
  ...{ signers: [], requestId: "0b6d3f6e-6a0f-4b56-9c1d-8f2f3f1f0a11" },
});
const WORK = { value: '"work"', output: "999999-none", expiresAt: NOW + HOUR_MS };
const SALE = {
  ...{ payment: paymentOf("0x5a1e"), requestId: "0b6d3f6e", settledAt: SETTLED_AT, network: "base-sepolia" },
  ...{ chain: CHAIN.caip2, decimals: 6, asset: CHAIN.asset, payer: FROM, payTo: PAY_TO, amount: "50000" },
  ...{ transaction: "0x4e07", proved: true },
};

/** Writes records into an object as an earlier build did: directly, and without a version. */
const write = (
  name: string,
  records: Record<string, unknown>,
  objects: typeof env.LEDGER | typeof env.BUDGETS = env.LEDGER,
) =>
  runInDurableObject(objects.getByName(name) as DurableObjectStub, (_, { storage }) => {
    for (const [key, value] of Object.entries(records)) storage.kv.put(key, value);
  });
const ledger = (name: string) => env.LEDGER.getByName(name);
const versionOf = (name: string) =>
  runInDurableObject(ledger(name), (_, { storage }) => storage.kv.get<number>("version"));

test("the ledger reads payments in every state that version 0.1.0 stored", async () => {
  const states: [entry: object, status: object][] = [
    [{ state: "claimed", claim: "a", leaseEnds: NOW + HOUR_MS }, { status: "in_progress" }],
    [
      {
        ...{ state: "settling", work: WORK, attempts: 1, doubt: false, transaction: "" },
        ...{ firstAsked: NOW - 1000, nextAt: NOW + HOUR_MS },
      },
      { status: "pending" },
    ],
    [
      { state: "exposed", work: WORK, attempts: 2, firstAsked: NOW - 1000, nextAt: NOW + HOUR_MS },
      { status: "pending", until: expect.any(Number) },
    ],
    [{ state: "burned" }, { status: "spent" }],
    [
      {
        state: "settled",
        work: { ...WORK, expiresAt: NOW - 1 },
        transaction: "0x4e07",
        settledAt: NOW,
        unproved: true,
      },
      { status: "spent" },
    ],
  ];
  for (const [at, [entry, status]] of states.entries()) {
    const name = paymentOf(`0x0${at}`);
    await write(name, { entry: { ...entry, ...callOf(`0x0${at}`) } });
    expect(await ledger(name).waitForStatus("request", 0, true), JSON.stringify(entry)).toEqual(status);
  }
});

test("the ledger finishes a settlement that version 0.1.0 began, and stores the payment with the current record version", async () => {
  const name = paymentOf("0x5e77");
  const pdf = { length: 4, chunks: () => inOne(new TextEncoder().encode("%PDF")) };
  const { id: output } = await storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds: 3600 });
  const work = { ...WORK, output };
  const settling = { state: "settling", work, attempts: 1, doubt: false, firstAsked: NOW, nextAt: NOW };
  await write(name, { entry: { ...settling, transaction: "", ...callOf("0x5e77") } });
  expect(await versionOf(name)).toBeUndefined();
  await runInDurableObject(ledger(name), (_, { storage }) => storage.setAlarm(Date.now() + HOUR_MS));
  await runDurableObjectAlarm(ledger(name));
  const entry = await runInDurableObject(ledger(name), (_, { storage }) => storage.kv.get("entry"));
  expect(entry).toMatchObject({ state: "settled", transaction: `0x${"ab".repeat(32)}` });
  expect(await versionOf(name)).toBe(RECORD_VERSION);
});

test("an object without records stores no version", async () => {
  const list = ledger("payments-of-a-test");
  await list.listOpen("a", JSON.stringify({ at: NOW }));
  await list.listOpen("b", JSON.stringify({ at: NOW }));
  await list.listOpen("a", undefined);
  expect(await versionOf("payments-of-a-test")).toBe(RECORD_VERSION);
  await list.listOpen("b", undefined);
  expect(await versionOf("payments-of-a-test")).toBeUndefined();
});

test("the ledger reads idempotency keys, purchase lists and daybooks that version 0.1.0 stored", async () => {
  const bound = { payment: SALE.payment, chain: CHAIN, fingerprint: "request", version: 1 };
  await write(`key:${FROM}:old`, { bound });
  expect(await ledger(`key:${FROM}:old`).binding()).toEqual(bound);
  const other = { ...bound, payment: "another" };
  expect(await ledger(`key:${FROM}:old`).bind(other, NOW + HOUR_MS, 0), "a bound key").toBe(false);
  const listed = { payment: SALE.payment, at: SETTLED_AT, expiresAt: NOW + HOUR_MS };
  await write("purchases:old", { [`purchase:0${SETTLED_AT}:${SALE.payment}`]: listed });
  expect(await ledger("purchases:old").newestPurchases(undefined, 9)).toEqual([expect.objectContaining(listed)]);
  await write(`sales:${DAY}`, { [`sale:00${SETTLED_AT}:${SALE.payment}`]: SALE });
  expect(await ledger(`sales:${DAY}`).bookedSales(undefined, 9)).toEqual([expect.objectContaining(SALE)]);
  await write("payer:old", { trusted: ["a", "b", "c"].map((payment) => [payment, NOW]) });
  expect(await ledger("payer:old").allowUnproved("d")).toBe(false);
});

test("usage that version 0.1.0 recorded still counts against a payer's quotas", async () => {
  const inUse = { a: { calls: 1, bytes: 1, ends: NOW + HOUR_MS } };
  await write("payer:old", { account: { ms: 5, bytes: 5, hourEnds: NOW + HOUR_MS, inUse } }, env.BUDGETS);
  const limits = { payments: 1, calls: 9, unchargedMs: 6, unchargedBytes: 99, leaseMs: HOUR_MS };
  expect(await env.BUDGETS.getByName("payer:old").begin("b", 1, limits), "another payment is in use").toBeGreaterThan(
    0,
  );
  expect(await env.BUDGETS.getByName("payer:old").begin("a", 1, limits)).toBe(0);
});

/** The constant `CHANNEL` is a channel as the first build with channels (1a1b9db3) stored it, without `claimsBooked`. */
const CHANNEL_ID = `0x${"91".repeat(32)}` as const;
const CHANNEL = {
  ...{ channelId: CHANNEL_ID, chain: CHAIN, facilitators: ["https://facilitator.example.com/good"] },
  config: {
    ...{ payer: FROM, payerAuthorizer: FROM, receiver: PAY_TO, receiverAuthorizer: PAY_TO, token: CHAIN.asset },
    ...{ withdrawDelay: 86_400, salt: `0x${"00".repeat(32)}` },
  },
  requirements: {
    scheme: "batch-settlement",
    network: CHAIN.caip2,
    asset: CHAIN.asset,
    amount: "50000",
    payTo: PAY_TO,
  },
  ...{ charged: "150000", signedMax: "150000", signature: "0x5e1f", exposedMax: "50000" },
  snapshot: { balance: "500000", totalClaimed: "50000", withdrawRequestedAt: 0, refundNonce: "0" },
  ...{ syncedAt: NOW, lastCallAt: NOW, unclaimedSince: NOW },
};

test("the ledger reads channel records of the first build with channels", async () => {
  const name = channelNameOf(CHAIN.caip2, CHANNEL_ID);
  const receipt = { transaction: "", amount: "", extra: {} };
  const sold = { max: "150000", fingerprint: "request", work: WORK, requestId: "r", soldAt: NOW, receipt };
  await write(name, { channel: CHANNEL, [`sold:${"150000".padStart(39, "0")}`]: sold });
  const view = await ledger(name).viewChannel();
  expect(view).toMatchObject({ record: { ...CHANNEL, claimsBooked: "50000" }, claims: [{ totalClaimed: "150000" }] });
  expect(channelPaymentOf(name, "150000")).toMatch(/:150000$/);
  expect(await ledger(name).purchaseOnChannel("150000"), "its output is gone").toBeUndefined();
});

test("the service reads uploads that version 0.1.0 stored", async () => {
  const group = String(Math.floor(NOW / HOUR_MS) + 1);
  const key = `uploads/${group}/${group}-${"5e".repeat(16)}`;
  const record = { type: "pdf", maxBytes: 10, expires: NOW + HOUR_MS / 2 };
  await bucket.put(key, JSON.stringify(record), {});
  expect(await uploadAt(bucket, key.split("/")[2]!, NOW)).toMatchObject(record);
});

/** Expects that an object refuses an access because its records are newer than the build. */
const refused = <T extends Ledger | Budget>(stub: DurableObjectStub<T>, access: (object: T) => Promise<unknown>) =>
  runInDurableObject(stub, async (object) => {
    const refusal = /records of this object have version 2, but this build reads at most version 1/;
    await expect((async () => access(object))()).rejects.toThrow(refusal);
  });

test("the ledger refuses records of a newer build and leaves them unchanged", async () => {
  const newer = { version: RECORD_VERSION + 1 };
  const entry = { state: "claimed", claim: "a", leaseEnds: 1, ...callOf("0x0e") };
  const name = paymentOf("0x0e");
  await write(name, { ...newer, entry });
  await refused(ledger(name), (object) => object.waitForStatus("request", 0, true));
  await refused(ledger(name), (object) => object.claim(callOf("0x0e"), 1000, 0));
  await write("purchases:newer", newer);
  const listed = { payment: "a", at: NOW, expiresAt: NOW + HOUR_MS };
  await refused(ledger("purchases:newer"), (object) => object.addPurchase(listed));
  await write("payer:newer", newer, env.BUDGETS);
  const limits = { slots: 1, bytes: 1, ms: 1 };
  await refused(env.BUDGETS.getByName("payer:newer"), (object) => object.registerUpload(1, limits));
  expect(await runInDurableObject(ledger(name), (_, { storage }) => storage.kv.get("entry"))).toEqual(entry);
});

test("the alarm of an object whose records are newer than the build is set again, and deletes nothing", async () => {
  for (const objects of [env.LEDGER, env.BUDGETS] as DurableObjectNamespace[]) {
    const stub = objects.getByName("alarm:newer");
    await runInDurableObject(stub, async (_, { storage }) => {
      storage.kv.put("version", RECORD_VERSION + 1);
      storage.kv.put("bound", "newer");
      await storage.setAlarm(Date.now() + HOUR_MS);
    });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const [alarm, bound] = await runInDurableObject(stub, async (_, { storage }) => [
      await storage.getAlarm(),
      storage.kv.get("bound"),
    ]);
    expect([alarm, bound]).toEqual([expect.any(Number), "newer"]);
    expect(alarm).toBeGreaterThan(Date.now());
  }
});

test("the service rejects an upload that a newer build created, and asks for another upload", async () => {
  const opened = await send("/v1/uploads", { method: "POST", body: JSON.stringify({ size: 10 }) });
  const { upload, handle } = await opened.json<{ upload: { url: string }; handle: string }>();
  const id = new URL(upload.url).pathname.split("/").at(-1)!;
  const { key, etag: _, ...record } = await uploadAt(bucket, id, NOW);
  expect(record.version).toBe(1);
  await bucket.put(key, JSON.stringify({ ...record, version: 2 }), {});
  const refusal = { code: "upload_not_found", detail: expect.stringContaining("newer version") };
  await expect(uploadedFile(bucket, handle, NOW)).rejects.toMatchObject(refusal);
});
