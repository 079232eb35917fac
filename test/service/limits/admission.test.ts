import { generatePrivateKey } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signPayment, signPaymentV2 } from "../../../scripts/lib/pay.ts";
import { REFUSED_PAYMENTS, UNUSED_PAYMENTS } from "../../../src/settings/limits.ts";
import { dataUri } from "../../support/client.ts";
import { deployment, terms } from "../../support/deployment.ts";
import { onePage } from "../../support/pdf.ts";

const { capacity, leakMs } = REFUSED_PAYMENTS;
afterEach(() => void vi.restoreAllMocks());

const newPayment = async () => signPayment(await terms());
const JSON_TYPE = { "Content-Type": "application/json" };
const validBody = JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" });

/** Returns a body of 100 MB that starts with `beginning`. `read()` returns the number of megabytes read so far. */
function large(beginning = "") {
  let read = 0;
  const body = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(new TextEncoder().encode(`${beginning}a`)),
    async pull(controller: ReadableByteStreamController) {
      await scheduler.wait(1); // The body arrives in pieces, as from a network.
      if (++read <= 100) return controller.enqueue(new Uint8Array(1 << 20));
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  return { body, read: () => read };
}

describe("a payment that the facilitator refuses", () => {
  test.each([
    ["a form", "multipart/form-data; boundary=b"],
    ["JSON", "application/json"],
    ["neither", "application/pdf"],
  ])(
    "the service refuses a call without reading its body if the facilitator refuses the payment: %s",
    async (_, type) => {
      const { call, verified } = deployment("forged");
      const { body, read } = large();
      const headers = { "Content-Type": type, "X-PAYMENT": await newPayment() };
      const { status, text } = await call({ headers, body });
      expect([status, text]).toEqual([402, expect.stringContaining("invalid_exact_evm_payload_signature")]);
      expect(read()).toBeLessThan(12);
      expect(await verified()).toBe(1);
    },
  );
});

test("the service answers a call with a refused payment even while the body is stalled", async () => {
  const { call } = deployment("forged");
  const stuck = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(9_000_000)) });
  const headers = { "Content-Type": "multipart/form-data; boundary=b", "X-PAYMENT": await newPayment() };
  const { status, text } = await call({ headers, body: stuck });
  expect([status, JSON.parse(text)]).toMatchObject([402, { x402Version: 1 }]);
});

describe("a settled payment, which anyone can read on the chain", () => {
  test.each([
    ["alone", {}],
    ["with an idempotency key that the payer did not send", { "Idempotency-Key": "a guess" }],
  ])("a settled payment that a third party replays buys nothing, and the body is not read: %s", async (_, guess) => {
    const { call } = deployment("good");
    const headers = { "X-PAYMENT": await newPayment() };
    expect((await call({ headers: { ...JSON_TYPE, ...headers }, body: validBody })).status).toBe(200);
    for (const type of ["multipart/form-data; boundary=b", "application/json"]) {
      const { body, read } = large();
      const { status, text } = await call({ headers: { "Content-Type": type, ...headers, ...guess }, body });
      expect([status, text]).toEqual([409, expect.stringContaining("payment_already_used")]);
      expect(read()).toBeLessThan(12);
    }
  });

  test("the body of a long MCP message is not read if its payment is a replay", async () => {
    const { call } = deployment("good");
    const headers = { ...JSON_TYPE, Accept: "application/json, text/event-stream", "X-PAYMENT": await newPayment() };
    expect((await call({ headers, body: validBody })).status).toBe(200);
    const beginning = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_text_watermark","arguments":{"text":"`;
    let read = 0;
    const pull = (controller: ReadableByteStreamController) => {
      const text = read++ === 0 ? beginning : "x".repeat(1 << 20);
      if (read > 30) controller.close();
      else controller.enqueue(new TextEncoder().encode(text));
    };
    const { status } = await call({ headers, body: new ReadableStream({ type: "bytes", pull }) }, "/mcp");
    expect(status).toBe(409);
    expect(read).toBeLessThan(12);
  });
});

describe("an address whose payments are refused", () => {
  // The clock stands still, so that no refusal expires during a slow test.
  beforeEach(() => void vi.spyOn(Date, "now").mockReturnValue(Date.now()));

  const forged = async (call: ReturnType<typeof deployment>["call"], address: string) =>
    (await call({ address, headers: { ...JSON_TYPE, "X-PAYMENT": await newPayment() }, body: validBody })).status;

  test("the service throttles an address with refused payments for a few seconds, and does not verify the throttled payments", async () => {
    const { call, verified } = deployment("forged");
    const statuses: number[] = [];
    for (let times = 0; times < 20; times++) statuses.push(await forged(call, "203.0.113.20"));
    expect(statuses).toEqual([...Array(capacity).fill(402), ...Array(20 - capacity).fill(429)]);
    expect(await verified()).toBe(capacity);
    const { headers } = await call({ address: "203.0.113.20", headers: { "X-PAYMENT": "bm8=" } });
    expect(Number(headers.get("Retry-After"))).toBeOneOf([...Array(leakMs / 1000).keys()].map((n) => n + 1));
  });

  test("the service throttles an address that replays a payment with guessed keys or with other requests", async () => {
    const { call } = deployment("good");
    const address = "203.0.113.30";
    const paid = { ...JSON_TYPE, "X-PAYMENT": await newPayment() };
    const key = { "Idempotency-Key": "secret" };
    expect((await call({ headers: { ...paid, ...key }, body: validBody })).status).toBe(200);
    const other = validBody.replace('"A"', '"B"');
    expect((await call({ address, headers: { ...paid, ...key }, body: other })).status).toBe(422);
    const statuses: number[] = [];
    for (let guess = 0; guess < capacity + 2; guess++) {
      const headers = { ...paid, "Idempotency-Key": String(guess) };
      statuses.push((await call({ address, headers, body: validBody })).status);
    }
    expect(statuses).toEqual([...Array(capacity - 1).fill(409), 429, 429, 429]);
  });

  test("the service throttles an address after refused sign-ins, since checking a sign-in may need a node", async () => {
    const { call } = deployment("good");
    const statuses: number[] = [];
    for (let times = 0; times < capacity + 2; times++) {
      const asked = { method: "GET", address: "203.0.113.28", headers: { "SIGN-IN-WITH-X": "bm8=" } };
      statuses.push((await call(asked, "/v1/purchases")).status);
    }
    expect(statuses).toEqual([...Array(capacity).fill(403), 429, 429]);
  });

  test("a throttled address may send one more payment after the wait, however many payments it sent before", async () => {
    const { call } = deployment("forged");
    const address = "203.0.113.21";
    await Promise.all(Array.from({ length: 40 }, () => forged(call, address)));
    expect(await forged(call, address)).toBe(429);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + leakMs);
    expect([await forged(call, address), await forged(call, address)]).toEqual([402, 429]);
  });

  test("the service verifies no more payments than the limit allows if an address sends many concurrently", async () => {
    const { call, verified } = deployment("forged");
    const address = "203.0.113.22";
    await forged(call, address);
    await Promise.all(Array.from({ length: 40 }, () => forged(call, address)));
    expect(await verified()).toBe(capacity);
  });

  test("throttling an address affects no other address, and ends once a caller at the address has paid", async () => {
    const address = "203.0.113.23";
    const { call } = deployment("forged");
    const good = deployment("good");
    const held = deployment("held");
    const paid = async (from: string, { call: pay } = good) =>
      (await pay({ address: from, headers: { ...JSON_TYPE, "X-PAYMENT": await newPayment() }, body: validBody }))
        .status;
    for (let times = 0; times < capacity; times++) await forged(call, address);
    expect([await paid("203.0.113.24"), await paid(address)]).toEqual([200, 429]);
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + leakMs);
    const statuses: number[] = [];
    const many = Array.from({ length: 4 }, async () => void statuses.push(await paid(address, held)));
    const oneIsHeld = async () => expect([statuses, await held.verified()]).toEqual([[429, 429, 429], 1]);
    await vi.waitFor(oneIsHeld, 10_000);
    await fetch(`${held.FACILITATOR_URL}/release`, { method: "POST" });
    await Promise.all(many);
    expect(statuses[3]).toBe(200);
    now.mockRestore();
    expect(await Promise.all(Array.from({ length: 4 }, () => paid(address)))).toEqual(Array(4).fill(200));
  });

  test("the service does not throttle an address for concurrent paid calls", async () => {
    const { call } = deployment("good");
    const paid = async () => {
      const headers = { ...JSON_TYPE, "X-PAYMENT": await signPayment(await terms(), generatePrivateKey()) };
      return (await call({ address: "203.0.113.25", headers, body: validBody })).status;
    };
    expect(await Promise.all(Array.from({ length: 2 * capacity }, paid))).toEqual(Array(2 * capacity).fill(200));
  });

  test("the service does not throttle an address that repeatedly asks for the price", async () => {
    const { call } = deployment("good");
    const address = "203.0.113.26";
    for (let times = 0; times < 2 * capacity; times++) await call({ address });
    const headers = { ...JSON_TYPE, "X-PAYMENT": await newPayment() };
    expect((await call({ address, headers, body: validBody })).status).toBe(200);
  });

  test("the service throttles an address whose MCP payments are refused", async () => {
    const { call, verified } = deployment("forged");
    const params = { name: "add_text_watermark", arguments: {} };
    const headers = { ...JSON_TYPE, Accept: "application/json, text/event-stream" };
    const forgedTool = async () => {
      const _meta = { "x402/payment": await signPaymentV2(await terms()) };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta } });
      return (await call({ address: "203.0.113.27", headers, body }, "/mcp")).text;
    };
    for (let times = 0; times < capacity; times++) expect(await forgedTool()).toContain("x402Version");
    for (let times = 0; times < 5; times++) expect(await forgedTool()).toContain("too_many_requests");
    expect(await verified()).toBe(capacity);
  });
});

describe("a payer whose verified calls fail", () => {
  const { capacity, leakMs } = UNUSED_PAYMENTS;
  const wrong = JSON.stringify({ file: dataUri("application/pdf", onePage) });
  const address = "203.0.113.31";
  const at = (ms: number) => vi.spyOn(Date, "now").mockReturnValue(ms);
  beforeEach(() => void at(Date.now()));

  /** Creates a payer. The returned function `send` signs a new payment of this payer for each call. */
  function payer() {
    const key = generatePrivateKey();
    const { call, verified } = deployment("good");
    const send = async (body: string, path?: string) =>
      call({ address, headers: { ...JSON_TYPE, "X-PAYMENT": await signPayment(await terms(), key) }, body }, path);
    const fail = async () => (await send(wrong)).status;
    return { send, fail, verified };
  }

  test("the service throttles a payer whose verified calls fail, but no other payer, and does not verify the throttled calls", async () => {
    const { send, fail, verified } = payer();
    const statuses: number[] = [];
    for (let times = 0; times < capacity + 10; times++) statuses.push(await fail());
    expect(statuses).toEqual([...Array(capacity).fill(400), ...Array(10).fill(429)]);
    expect(await verified()).toBe(capacity);
    const { status, headers } = await send(validBody);
    expect([status, headers.get("Retry-After")]).toEqual([429, String(leakMs / 1000)]);
    expect((await payer().send(validBody)).status).toBe(200);

    at(Date.now() + leakMs);
    expect([await fail(), await fail()]).toEqual([400, 429]);
  });

  test("the service verifies no more payments than the limit allows if a payer makes many failing calls concurrently", async () => {
    const { fail, verified } = payer();
    await fail();
    const { promise: all, resolve } = Promise.withResolvers<void>();
    let decided = 0;
    const decide = () => void (++decided === 2 * capacity && resolve());
    const { fetch } = globalThis;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (String(input).endsWith("/verify")) {
        decide();
        await all; // No call can fail before each call is either verified or throttled.
      }
      return fetch(input, init);
    });
    const call = async () => {
      if ((await fail()) === 429) decide();
    };
    await Promise.all(Array.from({ length: 2 * capacity }, call));
    expect(await verified()).toBeLessThanOrEqual(capacity);
  });

  test("a paid call resets the count of a payer's failed calls", async () => {
    const { send, fail } = payer();
    for (let times = 1; times < capacity; times++) await fail();
    expect((await send(validBody)).status).toBe(200);
    expect([await fail(), await fail()]).toEqual([400, 400]);
  });

  test("the service does not throttle a payer for creating uploads", async () => {
    const { send } = payer();
    for (let times = 0; times < capacity + 1; times++)
      expect((await send(JSON.stringify({ size: 1 }), "/v1/uploads")).status).toBe(201);
  });
});

describe("a payer", () => {
  const slow = JSON.stringify({ file: "https://files.example.com/slow.pdf", text: "A" });
  const bad = JSON.stringify({
    file: dataUri("application/pdf", new TextEncoder().encode("%PDF-1.7 and no more")),
    text: "A",
  });
  const paying = async (call: ReturnType<typeof deployment>["call"], body: string) =>
    call({ headers: { ...JSON_TYPE, "X-PAYMENT": await signPayment(await terms(), newAccount) }, body });
  let newAccount = generatePrivateKey();
  beforeEach(() => {
    newAccount = generatePrivateKey();
  });

  test("the service allows a payer a few concurrent calls, and answers 429 to further calls", async () => {
    const { call } = deployment("good", { MAX_CALLS_PER_PAYER: "3", FETCH_TIMEOUT_SECONDS: "1" });
    const answers = await Promise.all(Array.from({ length: 16 }, () => paying(call, slow)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(13).fill(429), ...Array(3).fill(504)]);
    expect(answers.find(({ status }) => status === 429)!.headers.get("Retry-After")).toBe("5");
    expect((await paying(call, validBody)).status).toBe(200);
  });

  test("the service limits the bytes of a payer's concurrent calls, even if all use one payment", async () => {
    const limits = { UNCHARGED_BYTES_PER_HOUR: "100000", FETCH_TIMEOUT_SECONDS: "3" };
    // The facilitator answers once all six calls have arrived. A call that arrives after the payment is claimed would
    // count against its address.
    const { call } = deployment("together-6", limits);
    const headers = {
      ...JSON_TYPE,
      "Content-Length": "40000",
      "X-PAYMENT": await signPayment(await terms(), newAccount),
    };
    const answers = await Promise.all(Array.from({ length: 6 }, () => call({ headers, body: slow })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([429, 429, 429, 429, 504, 504]);
    expect(answers.find(({ status }) => status === 429)!.headers.get("Retry-After")).toBe("5");
    expect((await paying(call, validBody)).status).toBe(200);
  });

  test("the service limits each payer's uncharged work per hour, and does not count paid calls", async () => {
    const { call } = deployment("good", { UNCHARGED_BYTES_PER_HOUR: "50" });
    for (let calls = 0; calls < 3; calls++) expect((await paying(call, validBody)).status).toBe(200);
    expect((await paying(call, bad)).status).toBe(422);
    const { status, headers } = await paying(call, validBody);
    expect(status).toBe(429);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(3000);
    newAccount = generatePrivateKey();
    expect((await paying(call, validBody)).status).toBe(200);
  });

  test.each([
    ["with filler before its first part", ""],
    ["with filler after its last part", "--b--\r\n"],
    ["in a field", '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n'],
  ])(
    "the service counts every byte of a form against the payer, and stops reading at the limit: %s",
    async (_, beginning) => {
      const { call } = deployment("good", { UNCHARGED_BYTES_PER_HOUR: "300000" });
      const send = async (body: string | ReadableStream) => {
        const payment = { "X-PAYMENT": await signPayment(await terms(), newAccount) };
        return (await call({ headers: { "Content-Type": "multipart/form-data; boundary=b", ...payment }, body }))
          .status;
      };
      const some = beginning.padEnd(200_000, "a");
      expect([await send(some), await send(some)]).toEqual([400, 400]);
      const { body, read } = large(beginning);
      expect(await send(body)).toBe(429);
      expect(read()).toBeLessThan(20);
    },
  );

  test("the service counts finished work against the payer's quota during the settlement", async () => {
    const { call } = deployment("answers-500-first", { UNCHARGED_BYTES_PER_HOUR: "50" });
    const fetched = vi.spyOn(globalThis, "fetch");
    const [now, waits] = [Date.now, 26_000];
    const isAsked = () => fetched.mock.calls.some(([url]) => String(url).endsWith("/settle"));
    // The clock advances by 26 s when the settlement is requested, which leaves the call no time to wait.
    vi.spyOn(Date, "now").mockImplementation(() => now() + (isAsked() ? waits : 0));
    const { status, text } = await paying(call, validBody);
    expect([status, JSON.parse(text).code]).toEqual([503, "settlement_pending"]);
    expect((await paying(call, validBody)).status).toBe(429);
  });
});

test("the facilitator checks the signature of a smart wallet, whether the wallet is deployed (ERC-1271) or not (ERC-6492)", async () => {
  const { call, verified } = deployment("good");
  const statuses: number[] = [];
  for (const signature of [`0x${"ab".repeat(300)}`, `0x${"cd".repeat(640)}${"6492".repeat(16)}`]) {
    const { payload, ...rest } = JSON.parse(atob(await newPayment()));
    const payment = btoa(JSON.stringify({ ...rest, payload: { ...payload, signature } }));
    statuses.push((await call({ headers: { ...JSON_TYPE, "X-PAYMENT": payment }, body: validBody })).status);
  }
  expect([statuses, await verified()]).toEqual([[200, 200], 2]);
});

describe("a valid payment", () => {
  test("the service asks the facilitator only once to verify the payment of a call", async () => {
    const { call, verified } = deployment("good");
    const headers = { ...JSON_TYPE, "X-PAYMENT": await newPayment() };
    expect((await call({ headers, body: validBody })).status).toBe(200);
    expect(await verified()).toBe(1);
  });

  test("the ledger returns the result of a settled payment for a repeated call without another verification", async () => {
    const { call, verified } = deployment("good");
    const headers = { ...JSON_TYPE, "X-PAYMENT": await newPayment(), "Idempotency-Key": crypto.randomUUID() };
    const first = await call({ headers, body: validBody });
    expect((await call({ headers, body: validBody })).text).toBe(first.text);
    expect(await verified()).toBe(1);
  });

  test.each(["good", "silent"])(
    "the service refuses a used payment without an idempotency key before the facilitator answers (the facilitator behaves as %s)",
    async (behavior) => {
      const headers = { ...JSON_TYPE, "X-PAYMENT": await newPayment() };
      await deployment("good").call({ headers, body: validBody });
      const { call } = deployment(behavior);
      const fetched = vi.spyOn(globalThis, "fetch");
      expect((await call({ headers, body: validBody })).status).toBe(409);
      expect(fetched.mock.calls.filter(([url]) => String(url).endsWith("/verify"))).toHaveLength(1);
    },
  );

  test("the service does not verify a payment if another payment has bought the result under the same idempotency key", async () => {
    const { call, verified } = deployment("good");
    const signed = async () => ({ ...JSON_TYPE, "X-PAYMENT": await newPayment(), "Idempotency-Key": "b" });
    const first = await call({ headers: await signed(), body: validBody });
    expect((await call({ headers: await signed(), body: validBody })).text).toBe(first.text);
    expect(await verified()).toBe(1);
  });
});
