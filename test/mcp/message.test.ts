import { generatePrivateKey } from "viem/accounts";
import { describe, expect, test, vi } from "vitest";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { LONG_TEXT_BYTES } from "../../src/inputs/inlineFile.ts";
import { PAYERS_POOL } from "../../src/inputs/memory.ts";
import { UNPAID_MESSAGE_BYTES, UNUSED_PAYMENTS } from "../../src/settings/limits.ts";
import { dataUri } from "../support/client.ts";
import { deployment, terms } from "../support/deployment.ts";
import { onePage } from "../support/pdf.ts";

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const MB = new Uint8Array(1 << 20).fill(0x41);

/** Returns the arguments of a tool call. Its PDF has `more` additional bytes at the end. */
const argumentsWith = (more: number) => {
  const file = new Uint8Array(onePage.length + more);
  file.set(onePage);
  return { file: dataUri("application/pdf", file), text: "A" };
};
const message = (params: object, method = "tools/call") => JSON.stringify({ method, params, jsonrpc: "2.0", id: 1 });
const name = "add_text_watermark";
const OTHER = generatePrivateKey();
const paymentOf = async () => ({ "x402/payment": await signPaymentV2(await terms()) });

/**
 * Returns a message that starts with `beginning` and continues for `megabytes` MB. `read()` returns the number of
 * megabytes read so far.
 */
function long(beginning: string, megabytes = 31) {
  let read = 0;
  const body = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
    pull(controller: ReadableByteStreamController) {
      if (++read <= megabytes) return controller.enqueue(MB.slice());
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  return { body, read: () => read };
}

describe("a long message", () => {
  test.each([
    ["without a payment", async () => `{"method":"tools/call","params":{"name":"${name}","arguments":{"file":"`],
    ["that is not JSON", async () => "A"],
    ["of another method", async () => '{"method":"initialize","params":{"name":"'],
    [
      "for an unknown tool",
      async () => `{"params":{"name":"remove","_meta":${JSON.stringify(await paymentOf())},"arguments":{"file":"`,
    ],
  ])(
    "the MCP endpoint rejects a long message %s after reading its start, and says what the caller can do",
    async (_, beginning) => {
      const { body, read } = long(await beginning());
      const { status, text } = await deployment("good").call({ headers: HEADERS, body }, "/mcp");
      expect([status, JSON.parse(text)]).toMatchObject([
        413,
        {
          code: "body_too_large",
          detail: expect.stringMatching(/`_meta`.* before `arguments`.*PAYMENT-SIGNATURE.*URL.*request_upload/),
        },
      ]);
      expect(read()).toBeLessThan(12); // The service drains an unread body only up to a limit.
    },
  );

  test("the MCP endpoint rejects a long message whose payment follows the arguments, as in official clients", async () => {
    const body = message({ name, arguments: argumentsWith(UNPAID_MESSAGE_BYTES), _meta: await paymentOf() });
    const { status, text } = await deployment("good").call({ headers: HEADERS, body }, "/mcp");
    expect([status, text]).toEqual([413, expect.stringContaining("body_too_large")]);
  });

  test.each([
    ["in its beginning", async () => [{ _meta: await paymentOf() }, {}] as const],
    ["in a header", async () => [{}, { "PAYMENT-SIGNATURE": (await paymentOf())["x402/payment"] }] as const],
  ])("the MCP endpoint reads a long message with a payment %s, and verifies the payment once", async (_, payment) => {
    const { call, verified } = deployment("good");
    const [params, headers] = await payment();
    const body = message({ name, ...params, arguments: argumentsWith(3_000_000) });
    const { text } = await call({ headers: { ...HEADERS, ...headers }, body }, "/mcp");
    expect(text).toContain('"operation":"watermark.text"');
    expect(await verified()).toBe(1);
  });

  test("the MCP endpoint accepts a file as an embedded resource in a long message", async () => {
    const { file, text } = argumentsWith(UNPAID_MESSAGE_BYTES);
    const resource = { uri: "file:///a.pdf", mimeType: "application/pdf", blob: file.split(",")[1] };
    const body = message({ name, _meta: await paymentOf(), arguments: { file: { type: "resource", resource }, text } });
    const answer = await deployment("good").call({ headers: HEADERS, body }, "/mcp");
    expect(answer.text).toContain('"operation":"watermark.text"');
  });

  test("the MCP endpoint reports invalid base64 with the same words in a long message as in a short one", async () => {
    const { call } = deployment("good");
    const answers: unknown[] = [];
    for (const length of [1000, UNPAID_MESSAGE_BYTES]) {
      const file = `data:;base64,${"A".repeat(length)}!`;
      const body = message({ name, _meta: await paymentOf(), arguments: { file, text: "A" } });
      const { text } = await call({ headers: HEADERS, body }, "/mcp");
      answers.push(text.replace(/[-0-9a-f]{36}/, ""));
    }
    expect(answers[0]).toContain("`file` is not valid base64");
    expect(answers[1]).toBe(answers[0]);
  });

  test("the MCP endpoint answers 402 to a long message with a refused payment without reading the rest", async () => {
    const { call, verified } = deployment("forged");
    const _meta = JSON.stringify(await paymentOf());
    const { body, read } = long(`{"params":{"name":"${name}","_meta":${_meta},"arguments":{"file":"`);
    const { status, text } = await call({ headers: HEADERS, body }, "/mcp");
    expect([status, JSON.parse(text)]).toMatchObject([
      402,
      { error: expect.stringContaining("invalid_exact_evm_payload_signature") },
    ]);
    expect(read()).toBeLessThan(12);
    expect(await verified()).toBe(1);
  });

  test.each([
    ["without an idempotency key", () => ({})],
    ["with the idempotency key at the end", () => ({ _meta: { "x402/idempotency-key": crypto.randomUUID() } })],
  ])(
    "the bytes of a long message count against the payer's hourly allowance if its call fails (%s)",
    async (_, last) => {
      const { call } = deployment("good", { UNCHARGED_BYTES_PER_HOUR: "1000000" });
      const key = generatePrivateKey();
      const send = async (text: string) => {
        const headers = { ...HEADERS, "PAYMENT-SIGNATURE": await signPaymentV2(await terms(), key) };
        const body = message({ name, arguments: { ...argumentsWith(300_000), text }, ...last() });
        return (await call({ headers, body }, "/mcp")).text;
      };
      for (let times = 0; times < 4; times++) expect(await send("A")).toContain('"operation":"watermark.text"');
      for (let times = 0; times < 2; times++) expect(await send("")).toContain("invalid_request");
      expect(await send("A")).toContain("too_many_requests");
    },
  );

  test.each([
    ["has no id", "{"],
    ["repeats a key", '{"id":1,"id":2,'],
  ])(
    "a payment counts as unused if its long message %s, and several unused payments throttle the payer",
    async (_, beginning) => {
      const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
      const { call, verified } = deployment("good");
      const key = generatePrivateKey();
      const params = { name, arguments: argumentsWith(UNPAID_MESSAGE_BYTES) };
      const body = JSON.stringify({ jsonrpc: "2.0", method: "tools/call", params }).replace("{", beginning);
      for (let times = 0; times < UNUSED_PAYMENTS.capacity + 3; times++) {
        const headers = { ...HEADERS, "PAYMENT-SIGNATURE": await signPaymentV2(await terms(), key) };
        await call({ address: "203.0.113.50", headers, body }, "/mcp");
      }
      expect(await verified()).toBe(UNUSED_PAYMENTS.capacity);
      now.mockRestore();
    },
  );

  test.each([
    ["an invalid idempotency key at its end", 1, async () => ({ "x402/idempotency-key": 7 })],
    ["another payment at its end", 2, async () => ({ "x402/payment": await signPaymentV2(await terms(), OTHER) })],
  ])("the first payment in a long message with %s counts as unused", async (_, each, last) => {
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const { call, verified } = deployment("good");
    const key = generatePrivateKey();
    const wrong = { ...argumentsWith(UNPAID_MESSAGE_BYTES), text: "" };
    for (let times = 0; times < UNUSED_PAYMENTS.capacity + 3; times++) {
      const headers = { ...HEADERS, "PAYMENT-SIGNATURE": await signPaymentV2(await terms(), key) };
      const body = message({ name, arguments: wrong, _meta: await last() });
      const { text } = await call({ address: "203.0.113.51", headers, body }, "/mcp");
      expect(text).not.toContain('"operation"');
    }
    expect(await verified()).toBe(each * UNUSED_PAYMENTS.capacity);
    now.mockRestore();
  });

  test("the MCP endpoint also verifies a second payment at the end of a long message", async () => {
    const { call, verified } = deployment("good");
    const headers = { ...HEADERS, "PAYMENT-SIGNATURE": (await paymentOf())["x402/payment"] };
    const body = message({ name, arguments: argumentsWith(UNPAID_MESSAGE_BYTES), _meta: await paymentOf() });
    expect((await call({ headers, body }, "/mcp")).text).toContain('"operation":"watermark.text"');
    expect(await verified()).toBe(2);
  });
});

describe("the memory of a long message", () => {
  const file = "A".repeat(UNPAID_MESSAGE_BYTES);
  const modern = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  describe.each([
    ["2025-11-25", {}],
    ["2026-07-28", modern],
  ])("with revision %s", (revision, envelope) => {
    const headers = { ...HEADERS, "MCP-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": name };
    test.each<[string, object, object?]>([
      ["text instead of arguments", { arguments: file }],
      ["a list instead of arguments", { arguments: [file] }],
      ["an invalid progress token", { arguments: { file } }, { progressToken: {} }],
      ["invalid arguments", { arguments: { file } }],
      ["valid arguments", { arguments: argumentsWith(UNPAID_MESSAGE_BYTES) }],
    ])("the MCP endpoint releases the memory of a long message with %s", async (_, params, meta) => {
      const body = message({ name, _meta: { ...(await paymentOf()), ...envelope, ...meta }, ...params });
      expect((await deployment("good").call({ headers, body }, "/mcp")).text).toMatch(/"(result|error)"/);
      expect([...PAYERS_POOL.held.values()]).toEqual([]);
    });
  });

  test("the MCP endpoint rejects a long subscription message, which would use memory without a payment", async () => {
    const method = "subscriptions/listen";
    const headers = { ...HEADERS, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name };
    const params = { name, _meta: { ...(await paymentOf()), ...modern }, notifications: { toolsListChanged: true } };
    const { status, text } = await deployment("good").call(
      { headers, body: message({ ...params, more: file }, method) },
      "/mcp",
    );
    expect([status, text]).toEqual([400, expect.stringContaining("must call a tool")]);
    expect([...PAYERS_POOL.held.values()]).toEqual([]);
  });

  test("the MCP endpoint releases the memory of a long message that is truncated JSON", async () => {
    const body = message({ name, _meta: await paymentOf(), more: file }).slice(0, -2);
    const { status, text } = await deployment("good").call({ headers: HEADERS, body }, "/mcp");
    expect([status, text]).toEqual([400, expect.stringContaining("not well-formed JSON")]);
    expect([...PAYERS_POOL.held.values()]).toEqual([]);
  });
});

test("stalled messages use up only the memory share of their sender's address", async () => {
  const { call } = deployment("good", { BODY_TIMEOUT_SECONDS: "3" });
  const halted = () =>
    new ReadableStream({
      type: "bytes",
      start: (controller) => controller.enqueue(new Uint8Array(200_000).fill(0x20)),
    });
  const sent = (address: string, body: ReadableStream | string) => call({ address, headers: HEADERS, body }, "/mcp");
  const theirs = Array.from({ length: 100 }, () => sent("203.0.113.7", halted()));
  await scheduler.wait(1000);
  const list = () => message({}, "tools/list").padEnd(100_000);
  expect((await sent("203.0.113.8", list())).status).toBe(200);
  expect((await sent("203.0.113.7", list())).text).toContain("too_busy");
  await Promise.all(theirs);
});

test("a string long enough to be received as a file exceeds the limit for unpaid MCP messages", () => {
  expect(LONG_TEXT_BYTES).toBeGreaterThanOrEqual(UNPAID_MESSAGE_BYTES);
});

test("the MCP endpoint accepts a payment at the end of a message of 256 KB", async () => {
  const room = (UNPAID_MESSAGE_BYTES * 3) / 4 - onePage.length - 3000;
  const body = message({ name, arguments: argumentsWith(room), _meta: await paymentOf() });
  expect(body.length).toBeGreaterThan(UNPAID_MESSAGE_BYTES - 4000);
  const { text } = await deployment("good").call({ headers: HEADERS, body }, "/mcp");
  expect(text).toContain('"operation":"watermark.text"');
});

test.each([
  ["nothing", ""],
  ["only its beginning", '{"jsonrpc":"2.0",'],
])("a message times out with 408 if %s arrives", async (_, beginning) => {
  const body = new ReadableStream({
    type: "bytes",
    start(controller) {
      if (beginning) controller.enqueue(new TextEncoder().encode(beginning));
    },
  });
  const { call } = deployment("good", { BODY_TIMEOUT_SECONDS: "1" });
  const { status, text } = await call({ headers: HEADERS, body }, "/mcp");
  expect([status, JSON.parse(text)]).toMatchObject([408, { code: "body_timeout" }]);
});
