import { generatePrivateKey } from "viem/accounts";
import { afterEach, expect, test, vi } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { dataUri, formOf, offerOf, send, TEXT } from "../support/client.ts";
import { deployment, terms } from "../support/deployment.ts";
import { onePage } from "../support/pdf.ts";
import { storedKeys } from "../support/storage.ts";
import { decodeHeader } from "../support/x402.ts";

const DAY_MS = 86_400_000;

afterEach(() => void vi.useRealTimers());

const JSON_TYPE = { "Content-Type": "application/json" };
const URL_OF_FILE = "https://files.example.com/one-page.pdf";

/** Creates a payer who signs a new payment for each call. Returns a function that makes a call. */
function newPayer() {
  const payer = generatePrivateKey();
  return async (fields: object | FormData, headers: Record<string, string> = {}) => {
    const isForm = fields instanceof FormData;
    const response = await send(TEXT, {
      method: "POST",
      headers: { "X-PAYMENT": await signPayment(await offerOf(TEXT), payer), ...(!isForm && JSON_TYPE), ...headers },
      body: isForm ? fields : JSON.stringify(fields),
    });
    const { output } = await response.clone().json<{ output?: { url: string } }>();
    return { status: response.status, url: output?.url, headers: response.headers };
  };
}
const resultFiles = async () => (await storedKeys()).filter((key) => key.startsWith("results/")).length;

test("a repeated call without an idempotency key gets the first result, even if it sends the same file in another way", async () => {
  const call = newPayer();
  const first = await call({ file: URL_OF_FILE, text: "A" });
  const before = await resultFiles();
  const repeated = [
    await call({ file: URL_OF_FILE, text: "A" }),
    await call({ file: `${URL_OF_FILE}?again`, text: "A" }),
    await call({ file: dataUri("application/pdf", onePage), text: "A" }),
    await call(formOf({ file: new File([onePage], "another name.pdf"), text: "A" })),
  ];
  expect(repeated.map(({ url }) => url)).toEqual(Array(4).fill(first.url));
  const [, lapsed] = [first, repeated[0]!].map(({ headers }) => decodeHeader(headers.get("X-PAYMENT-RESPONSE")!));
  expect(lapsed).toMatchObject({ success: true, extra: { note: expect.stringMatching(/not settled.*validBefore/) } });
  for (const { headers } of repeated) expect(headers.get("Overprint-Notice")).toBe("payment-not-settled");
  expect(await resultFiles()).toBe(before);
});

test("the service charges a call without an idempotency key separately if its fields, file or payer differ", async () => {
  const call = newPayer();
  const answers = [
    await call({ file: URL_OF_FILE, text: "A" }),
    await call({ file: URL_OF_FILE, text: "B" }),
    await call({ file: dataUri("application/pdf", Uint8Array.of(...onePage, 10)), text: "A" }),
    await newPayer()({ file: URL_OF_FILE, text: "A" }),
  ];
  expect(answers.map(({ headers }) => headers.get("Overprint-Notice"))).toEqual(Array(4).fill(null));
  expect(new Set(answers.map(({ url }) => url)).size).toBe(4);
});

test("the service charges a repeated call whose text contains {date} again on the next day", async () => {
  // The test uses the next midnight, because alarms use the real time and must not be in the past.
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: midnight - 30_000 });
  const call = newPayer();
  const request = { file: URL_OF_FILE, text: "{date}" };
  const first = await call(request);
  expect((await call(request)).url).toBe(first.url);
  vi.setSystemTime(midnight + 30_000);
  expect((await call(request)).url).not.toBe(first.url);
});

test("a call with an idempotency key and the same call without a key are charged separately", async () => {
  const call = newPayer();
  const request = { file: URL_OF_FILE, text: "A" };
  const keyed = await call(request, { "Idempotency-Key": crypto.randomUUID() });
  const plain = await call(request);
  const other = await call(request, { "Idempotency-Key": crypto.randomUUID() });
  expect(new Set([keyed.url, plain.url, other.url]).size).toBe(3);
});

test("repeating a failed call executes it again", async () => {
  const call = newPayer();
  const damaged = { file: dataUri("application/pdf", onePage.subarray(0, 20)), text: "A" };
  const statuses = [(await call(damaged)).status, (await call(damaged)).status];
  expect(statuses).toEqual([422, 422]);
});

test("the service charges each call without an idempotency key if DEFAULT_KEY is false", async () => {
  const payer = generatePrivateKey();
  const urls = async (DEFAULT_KEY: string) => {
    const { call } = deployment("good", { DEFAULT_KEY });
    const found = new Set<string>();
    for (let times = 0; times < 2; times++) {
      const headers = { ...JSON_TYPE, "X-PAYMENT": await signPayment(await terms(), payer) };
      const { text } = await call({ headers, body: JSON.stringify({ file: URL_OF_FILE, text: DEFAULT_KEY }) });
      found.add(JSON.parse(text).output.url);
    }
    return found.size;
  };
  expect([await urls("true"), await urls("false")]).toEqual([1, 2]);
});

test("documents promise one charge for calls without an idempotency key only if the deployment keeps the promise", async () => {
  const initialize = {
    method: "POST",
    headers: { ...JSON_TYPE, Accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    }),
  };
  const promising = async (DEFAULT_KEY: string) => {
    const { call } = deployment("good", { DEFAULT_KEY });
    const documents = [
      await call({ method: "GET" }, "/llms.txt"),
      await call({ method: "GET" }, "/openapi.json"),
      await call(initialize, "/mcp"),
    ];
    expect(documents.map(({ status }) => status)).toEqual([200, 200, 200]);
    return documents.map(({ text }) => text.includes("ten minutes"));
  };
  expect(await promising("true")).toEqual([true, true, true]);
  expect(await promising("false")).toEqual([false, false, false]);
});

test("repeated calls count against the payer's allowance from the 21st call in an hour", async () => {
  const payer = generatePrivateKey();
  const { call } = deployment("good", { DEFAULT_KEY: "true", UNCHARGED_BYTES_PER_HOUR: String(2 * onePage.length) });
  const statuses: number[] = [];
  for (let times = 0; times < 24; times++) {
    const headers = { ...JSON_TYPE, "X-PAYMENT": await signPayment(await terms(), payer), "Content-Length": "60" };
    const body = JSON.stringify({ file: URL_OF_FILE, text: "A" });
    statuses.push((await call({ headers: { ...headers, "Content-Length": String(body.length) }, body })).status);
  }
  expect(statuses).toEqual([...Array(23).fill(200), 429]);
});
