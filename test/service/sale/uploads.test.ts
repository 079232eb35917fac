import { env } from "cloudflare:workers";
import { generatePrivateKey } from "viem/accounts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../../scripts/lib/pay.ts";
import { UPLOADS } from "../../../src/settings/limits.ts";
import { noise } from "../../support/bytes.ts";
import { deployment, terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";
import { emptyBucket, storedKeys } from "../../support/storage.ts";

const MB = 1_000_000;
let addresses = 0;
/** Returns an IP address that no other test uses. */
const someone = () => `203.0.113.${++addresses}`;

afterEach(async () => {
  vi.restoreAllMocks();
  await emptyBucket();
});

/**
 * Creates a deployment. Returns functions that call it, such as `open`, which requests an upload. The facilitator
 * accepts every payment by default.
 */
function uploads(behavior = "good", bindings = {}) {
  const { call, verified } = deployment(behavior, bindings);
  const open = async (address: string, size?: number, payment?: string) => {
    const headers: Record<string, string> = payment === undefined ? {} : { "X-PAYMENT": payment };
    return call({ address, headers, body: JSON.stringify({ size }) }, "/v1/uploads");
  };
  return { open, call, verified };
}
type Answer = Awaited<ReturnType<ReturnType<typeof uploads>["open"]>>;
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
/** Returns a payment of a new payer. */
const signed = async () => signPayment(await terms(), generatePrivateKey());

describe("free uploads", () => {
  test("the service limits an address to five free uploads at a time, and says in Retry-After when one expires", async () => {
    const { open } = uploads();
    const address = someone();
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await open(address, 1000));
    expect(statuses(answers)).toEqual([201, 201, 201, 201, 201, 429]);
    const refusal = answers.at(-1)!;
    expect(JSON.parse(refusal.text)).toMatchObject({ code: "too_many_requests" });
    expect(Math.abs(Number(refusal.headers.get("Retry-After")) - 3600)).toBeLessThan(60);
    expect(await storedKeys("uploads/")).toHaveLength(5);
    expect(statuses([await open(someone(), 1000)])).toEqual([201]);
  });

  test("the service limits an address to five free uploads even if it requests many concurrently", async () => {
    const { open } = uploads();
    const address = someone();
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(address)));
    expect(statuses(answers).filter((status) => status === 201)).toHaveLength(5);
    expect(await storedKeys("uploads/")).toHaveLength(5);
  });

  test("the service counts the free uploads of an IPv6 network together", async () => {
    const { open } = uploads();
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await open(`2001:db8:0:${addresses}::${i}`, 1));
    expect(statuses(answers)).toEqual([201, 201, 201, 201, 201, 429]);
  });

  test("the service allows a new free upload each time an old one expires", async () => {
    const { open } = uploads();
    const address = someone();
    const now = Date.now();
    const at = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(now + ms);
    for (let i = 0; i < 5; i++) {
      at(600_000 * i);
      expect((await open(address, 10 * MB)).status).toBe(201);
    }
    at(3_600_000 - 1000);
    expect((await open(address, 1)).headers.get("Retry-After")).toBe("1");
    at(3_600_000);
    expect(statuses([await open(address, 1), await open(address, 1)])).toEqual([201, 429]);
  });

  test("the service limits free uploads to 10 MB, and requests a payment for a larger upload", async () => {
    const { open } = uploads();
    expect(statuses([await open(someone(), 10 * MB), await open(someone(), 10 * MB + 1)])).toEqual([201, 402]);
  });

  test("an address's byte limit allows the maximum size for each of its free uploads", () => {
    expect(UPLOADS.free.bytes).toBe(UPLOADS.free.slots * UPLOADS.freeBytes);
  });

  test("the service refuses a free upload if the address's Durable Object is overloaded, but not if the object fails otherwise", async () => {
    const failing = (error: object) => ({
      getByName: () => ({ registerUpload: () => Promise.reject(Object.assign(new Error("away"), error)) }),
    });
    const [flooded, down] = [{ overloaded: true }, {}].map((error) => uploads("good", { BUDGETS: failing(error) }));
    const refusal = await flooded!.open(someone());
    expect([refusal.status, refusal.headers.get("Retry-After")]).toEqual([429, "5"]);
    expect((await down!.open(someone())).status).toBe(201);
  });

  test("an address at its limit of free uploads does not affect other addresses", async () => {
    const { open } = uploads();
    const crowd = Array.from({ length: 20 }, someone);
    await Promise.all(crowd.flatMap((address) => Array.from({ length: 7 }, () => open(address))));
    expect(await storedKeys("uploads/")).toHaveLength(100);
    expect((await open(someone())).status).toBe(201);
  });
});

describe("an upload with a payment", () => {
  test("a large upload requires a payment, which is only verified and can still pay for a call", async () => {
    const { open, call, verified } = uploads();
    const payment = await signed();
    const address = someone();
    const { status, text } = await open(address, 20 * MB, payment);
    expect([status, await verified()]).toEqual([201, 1]);
    const small = await open(address, onePage.length, payment);
    const { handle, upload } = JSON.parse(small.text) as { handle: string; upload: { url: string } };
    const headers = { "Content-Length": String(onePage.length) };
    const sent = await call({ method: "PUT", address, headers, body: onePage }, new URL(upload.url).pathname);
    expect(sent.status).toBe(200);
    const body = JSON.stringify({ file: handle, text: "A" });
    const bought = await call({ address, headers: { "Content-Type": "application/json", "X-PAYMENT": payment }, body });
    expect([bought.status, JSON.parse(bought.text)]).toMatchObject([200, { output: { pages: 1 } }]);
    expect(text).toContain("upload:");
  });

  test("the service limits the total bytes of a payer's uploads across addresses", async () => {
    const { open } = uploads("good", { UNCHARGED_BYTES_PER_HOUR: String(50 * MB) });
    const payment = await signed();
    expect(statuses([await open(someone(), 30 * MB, payment), await open(someone(), 20 * MB, payment)])).toEqual([
      201, 201,
    ]);
    const refusal = await open(someone(), 11 * MB, payment);
    expect([refusal.status, refusal.headers.has("Retry-After")]).toEqual([429, true]);
  });

  test("the service creates as many uploads of a payer as the limit allows, even if more are requested concurrently", async () => {
    const stub = env.BUDGETS.getByName(`uploads:payer:${crypto.randomUUID()}`);
    const limits = { slots: UPLOADS.payerSlots, bytes: 1e9, ms: 60_000 };
    const waits = await Promise.all(Array.from({ length: 101 }, () => stub.registerUpload(1, limits)));
    expect(waits.filter((wait) => wait > 0)).toHaveLength(1);
  });

  test("the service does not create an upload if the payment is refused", async () => {
    const { open } = uploads("forged");
    expect((await open(someone(), 20 * MB, await signed())).status).toBe(402);
    expect(await storedKeys("uploads/")).toEqual([]);
  });

  test("the service does not create an upload if the payment has already bought something", async () => {
    const { open, call } = uploads();
    const payment = await signed();
    const address = someone();
    const body = JSON.stringify({ file: "https://files.example.com/one-page.pdf", text: "A" });
    const headers = { "Content-Type": "application/json", "X-PAYMENT": payment };
    expect((await call({ address, headers, body })).status).toBe(200);
    expect((await open(address, 20 * MB, payment)).status).toBe(409);
    expect(await storedKeys("uploads/")).toEqual([]);
  });
});

describe("aborted transfers to an upload", () => {
  const size = 1_000_000;
  const whole = noise(size);
  whole.set(new TextEncoder().encode("%PDF-1.7"));

  /** Returns a body that ends after `bytes` bytes of the file. The body fails there unless the file is complete. */
  const bodyOf = (bytes: number) =>
    new ReadableStream({
      type: "bytes",
      start: (controller) => controller.enqueue(whole.slice(0, bytes)),
      pull: (controller) =>
        bytes < size ? controller.error(new Error("Network connection lost.")) : controller.close(),
    });

  /** Creates an upload. Returns a function that sends the upload a given number of the file's bytes. */
  async function slot() {
    const { open, call } = uploads();
    const address = someone();
    const { upload } = JSON.parse((await open(address, size)).text) as { upload: { url: string } };
    const headers = { "Content-Length": String(size) };
    return (bytes: number) =>
      call({ method: "PUT", address, headers, body: bodyOf(bytes) }, new URL(upload.url).pathname);
  }

  test("an upload accepts no further transfers once aborted transfers have used twice its size", async () => {
    const send = await slot();
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await send(size - 1));
    expect(statuses(answers)).toEqual([400, 400, 400, 429]);
    const refusal = await send(size);
    expect(JSON.parse(refusal.text)).toMatchObject({
      code: "too_many_requests",
      detail: expect.stringContaining("another upload"),
    });
    expect(await storedKeys("uploads/")).toHaveLength(1);
    expect(statuses([await (await slot())(size)])).toEqual([200]);
  });

  test("an upload accepts concurrent transfers of at most twice its size in total", async () => {
    const send = await slot();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(size - 1)));
    expect(statuses(answers).toSorted()).toEqual([400, 400, 429, 429, 429, 429, 429, 429]);
    expect(statuses([await send(size)])).toEqual([200]);
  });

  test("an upload in parts accepts no further transfers once aborted transfers have used twice its size", async () => {
    const normal = { ...UPLOADS };
    Object.assign(UPLOADS, { partBytes: size / 2 });
    const { open, call } = uploads();
    const address = someone();
    const { parts } = JSON.parse((await open(address, size)).text) as { parts: { urls: string[] } };
    Object.assign(UPLOADS, normal);
    const headers = { "Content-Length": String(size / 2) };
    const send = (url: string, bytes: number) =>
      call({ method: "PUT", address, headers, body: bodyOf(bytes) }, new URL(url).pathname);
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await send(parts.urls[i % 2]!, size / 2 - 1));
    expect(statuses(answers)).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test("an upload's quota counts only the received bytes of an aborted transfer", async () => {
    const send = await slot();
    const answers = [];
    // The number of sent bytes is slightly more than a whole number of chunks.
    for (let i = 0; i < 14; i++) answers.push(await send(152_000));
    expect(statuses(answers)).toEqual(Array(14).fill(400));
    expect(statuses([await send(152_000)])).toEqual([429]);
  });
});

describe("guessed uploads", () => {
  test("the service limits guesses of upload handles and URLs per address", async () => {
    const tries = new Map<string, number>();
    const WRONG_TOKENS = {
      limit: async ({ key }: { key: string }) => {
        tries.set(key, (tries.get(key) ?? 0) + 1);
        return { success: tries.get(key)! <= 2 };
      },
    };
    const { call } = uploads("good", { WRONG_TOKENS });
    const address = someone();
    const guess = () =>
      call({ method: "PUT", address, body: onePage }, `/v1/uploads/999999-${crypto.randomUUID().replaceAll("-", "")}`);
    expect(statuses([await guess(), await guess(), await guess()])).toEqual([404, 404, 429]);
  });
});
