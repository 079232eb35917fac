import { generatePrivateKey } from "viem/accounts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { PAYERS_POOL } from "../../../src/inputs/memory.ts";
import { encode } from "../../support/bytes.ts";
import { dataUri } from "../../support/client.ts";
import { deployment, terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";

/** Tests calls that stall. They must neither block other calls nor use much memory. */

const BOUNDARY = "b";
const HEADERS = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
const part = (name: string, more = "") =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

/** Returns a form with a PDF of `length` bytes. */
function formOf(length: number): Uint8Array<ArrayBuffer> {
  const pdf = new Uint8Array(length);
  pdf.set(onePage);
  const before = `${part("text")}A\r\n${part("file", '; filename="a.pdf"')}`;
  return new Uint8Array(Buffer.concat([Buffer.from(before), pdf, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]));
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** Returns the request of {@link formOf} as JSON. */
function jsonOf(length: number): Uint8Array<ArrayBuffer> {
  const pdf = new Uint8Array((length / 4) * 3);
  pdf.set(onePage);
  return encode(JSON.stringify({ text: "A", file: dataUri("application/pdf", pdf) }));
}

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
  vi.restoreAllMocks();
});

/** Returns a stream that stalls half way and stays open until the end of the test. */
function stalled(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    start(controller: ReadableByteStreamController) {
      endings.push(() => controller.error(new Error("gone")));
      controller.enqueue(new Uint8Array(bytes));
    },
  });
}

const paying = async (headers = HEADERS, key = generatePrivateKey()) => ({
  ...headers,
  "X-PAYMENT": await signPayment(await terms(), key),
});
const held = () => [...PAYERS_POOL.held.values()].reduce((sum, { bytes }) => sum + bytes, 0);

describe("a paying caller", () => {
  async function expectService({ call }: ReturnType<typeof deployment>) {
    for (const length of [onePage.length, 9_000_000]) {
      const { status, text } = await call({ headers: await paying(), body: formOf(length) });
      expect([length, status, text]).toEqual([length, 200, expect.stringContaining("watermark.text")]);
    }
  }

  test.each([
    ["twelve uploads of 7.8 MB", 12, 7_800_000],
    ["one upload of 9 MB", 1, 9_000_000],
    ["one upload of 40 MB", 1, 40_000_000],
    ["twelve JSON bodies of 7.8 MB", 12, 7_800_000, JSON_TYPE],
    ["one JSON body of 30 MB", 1, 30_000_000, JSON_TYPE],
  ])(
    "the service handles a paying caller's small and large files while other transfers stall: %s",
    async (_, count, length, headers = HEADERS) => {
      const service = deployment("good", { BODY_TIMEOUT_SECONDS: "4" });
      const body = (headers === HEADERS ? formOf : jsonOf)(length + 100_000).subarray(0, length);
      const calls: Promise<unknown>[] = [];
      for (let i = 0; i < count; i++) calls.push(service.call({ headers: await paying(headers), body: stalled(body) }));
      await expectService(service);
      // A form reserves a small amount of memory for its fields, and none for its file.
      await vi.waitFor(() => expect(held()).toBeLessThan(count * 70_000), 20_000);
      for (const end of endings.splice(0)) end();
      await Promise.allSettled(calls);
      expect(held()).toBe(0);
    },
  );

  test("the service handles a paying caller while another payer's forty forms with long texts stall", async () => {
    const service = deployment("good", { MAX_CALLS_PER_PAYER: "50" });
    const texts = ["a", "b", "c"].map((name) => `${part(name)}${"A".repeat(250_000)}\r\n`).join("");
    const body = Buffer.concat([Buffer.from(texts), formOf(100_000).subarray(0, 90_000)]);
    const key = generatePrivateKey();
    const calls: Promise<unknown>[] = [];
    for (let i = 0; i < 40; i++)
      calls.push(service.call({ headers: await paying(HEADERS, key), body: stalled(new Uint8Array(body)) }));
    await expectService(service);
    expect(held()).toBeLessThan(0.6 * PAYERS_POOL.bytes);
    for (const end of endings.splice(0)) end();
    await Promise.allSettled(calls);
    expect(held()).toBe(0);
  });

  test("the service handles a paying caller while the file of another call arrives slowly", async () => {
    const service = deployment("good", { FETCH_TIMEOUT_SECONDS: "8" });
    const real = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (!String(input).startsWith("https://drip.example.com")) return real(input, init);
      const headers = { "Content-Length": "20000000" };
      return new Response(stalled(formOf(9_000_000).subarray(part("text").length + 3)), { headers });
    });
    const headers = { ...(await paying()), "Content-Type": "application/json" };
    const body = JSON.stringify({ file: "https://drip.example.com/a.pdf", text: "A" });
    const dripping = service.call({ headers, body });
    await vi.waitFor(() => expect(endings).toHaveLength(1), 5000);
    await expectService(service);
    for (const end of endings.splice(0)) end();
    expect((await dripping).status).toBe(502);
  });
});

test("stalled transfers to one upload leave enough memory for a file from another address", async () => {
  const { call } = deployment("good");
  const open = async (address: string) => {
    const { text } = await call({ address, body: JSON.stringify({ size: onePage.length }) }, "/v1/uploads");
    return new URL((JSON.parse(text) as { upload: { url: string } }).upload.url).pathname;
  };
  const headers = { "Content-Length": String(onePage.length) };
  const [mine, theirs] = [await open("203.0.113.101"), await open("203.0.113.102")];
  const send = (path: string, address: string, body: BodyInit) => call({ method: "PUT", address, headers, body }, path);
  const beginning = onePage.subarray(0, 100);
  const sent = Array.from({ length: 200 }, () => send(mine, "203.0.113.101", stalled(beginning)));
  await vi.waitFor(() => expect(endings).toHaveLength(200));
  const refused = await Promise.race(sent);
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([503, { code: "too_busy" }]);
  expect(refused.text, "an upload needs no payment, so the error names none").not.toMatch(/payment|URL/);
  expect((await send(theirs, "203.0.113.102", onePage)).status).toBe(200);
  for (const end of endings.splice(0)) end();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(100);
  expect((await send(mine, "203.0.113.101", onePage)).status).toBe(200);
});
