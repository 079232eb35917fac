import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../../src/shared/problems.ts";
import { dataUri, offerOf, send, TEXT } from "../support/client.ts";
import { connect, REVISIONS } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";
import { strict402, termsV2 } from "../support/x402.ts";

const file = dataUri("application/pdf", onePage);
const text = { file, text: "PAID" };
const CALLS = [
  ["add_text_watermark", text],
  ["add_image_watermark", { file, image: RED_PNG.toBase64() }],
] as const;
const revisions = Object.keys(REVISIONS) as (keyof typeof REVISIONS)[];

afterEach(() => {
  vi.restoreAllMocks();
});

type Answer = Awaited<ReturnType<Client["callTool"]>>;

/** Parses the JSON text of the content block at an index of a tool result. */
function told(answer: Answer, at = 0): unknown {
  const block = answer.content[at];
  return block?.type === "text" ? JSON.parse(block.text) : undefined;
}

const payment = async () => signPaymentV2(await offerOf(TEXT));
const paidWith = (payment: unknown) => ({ _meta: { "x402/payment": payment } });
const callText = (client: Client, payment: unknown, fields: object = text, key?: unknown) =>
  client.callTool({
    name: "add_text_watermark",
    arguments: { ...fields },
    _meta: { "x402/payment": payment, ...(key !== undefined && { "x402/idempotency-key": key }) },
  });

/** Tools that cost nothing. */
const FREE = ["request_upload", "request_payment_link", "get_result"];

describe.each(revisions)("protocol %s", (revision) => {
  test("the MCP endpoint negotiates the protocol and lists the tools", async () => {
    const client = await connect(revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...CALLS.map(([name]) => name), ...FREE]);
    for (const { title, description, inputSchema, outputSchema, annotations } of tools.slice(0, -FREE.length)) {
      expect(title).toMatch(/^Watermark/);
      expect(description).toContain("0.05 USDC");
      expect(description).toMatch(/watermark/i);
      expect(description!.length).toBeLessThan(450);
      // The other tool hints keep their defaults (not read-only, open world, not idempotent), because a call pays and
      // fetches files, and a repeated call may be another sale.
      expect(annotations).toEqual({ destructiveHint: false });
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const property of Object.values(inputSchema.properties!))
        expect(property).toHaveProperty("description", expect.stringMatching(/./));
      expect(outputSchema).toMatchObject({ type: "object" });
    }
    expect(JSON.stringify(tools)).toContain("red frame");
  });

  test.each(CALLS)(
    "the tool %s returns the payment terms for an unpaid call and the result link for a paid call",
    async (name, fields) => {
      const client = await connect(revision);
      await client.listTools(); // The client validates results only against the schemas of tools that it has listed.
      const unpaid = await client.callTool({ name, arguments: fields });
      expect(unpaid.isError).toBe(true);
      const terms = termsV2.parse(unpaid.structuredContent);
      expect(terms.resource.url).toBe("http://localhost/mcp");
      const { info, schema } = terms.extensions.bazaar;
      expect(z.fromJSONSchema(schema).parse(info)).toMatchObject({ input: { type: "mcp", toolName: name } });
      expect(unpaid.content[1]).toEqual({
        type: "text",
        text: expect.stringMatching(/^This call costs 0\.05 USDC, paid with x402\. A failed call is not charged\./),
      });
      const { url, description, mimeType } = terms.resource;
      const { bazaar: _, ...extensions } = terms.extensions;
      expect(told(unpaid)).toEqual({ ...terms, resource: { url, description, mimeType }, extensions });
      expect(unpaid._meta!["x402/error"]).toEqual(terms);
      const [offer] = strict402.parse(unpaid._meta!["x402/error-v1"]).accepts;

      const paid = await client.callTool({
        name,
        arguments: fields,
        ...paidWith(JSON.parse(atob(await signPaymentV2(offer as never)))),
      });
      expect(paid.isError).toBeFalsy();
      const { output } = result.parse(paid.structuredContent);
      expect(paid.content).toEqual([
        { type: "text", text: expect.stringContaining(output.url) },
        {
          type: "resource_link",
          uri: output.url,
          name: "watermarked.pdf",
          mimeType: "application/pdf",
          size: output.bytes,
        },
      ]);
      expect(paid._meta!["x402/payment-response"]).toMatchObject({ success: true, network: "eip155:84532" });
      expect((await (await send(output.url)).bytes()).length).toBe(output.bytes);
    },
  );

  test("a paid tool states its price and its preferred payment method in _meta, and a free tool states neither", async () => {
    const { tools } = await (await connect(revision)).listTools();
    const [text, image, upload] = tools;
    const { structuredContent } = await (await connect(revision)).callTool({ name: text!.name, arguments: {} });
    const [way] = termsV2.parse(structuredContent).accepts;
    for (const tool of [text, image])
      expect(tool!._meta).toMatchObject({
        x402: { paymentRequired: true, ...way },
        "agents-x402/paymentRequired": true,
        "agents-x402/priceUSD": 0.05,
      });
    expect(Object.keys(upload!._meta ?? {}).join()).not.toContain("x402");
  });

  test("a tool call reports the progress of each stage on request", async () => {
    const seen: unknown[] = [];
    const client = await connect(revision);
    const fields = { name: "add_text_watermark", arguments: { ...text, text: revision }, ...paidWith(await payment()) };
    await client.callTool(fields, { onprogress: (progress) => seen.push(progress) });
    expect(seen).toMatchObject([
      { progress: 0, total: 4, message: "fetching" },
      { progress: 1, total: 4, message: "marking" },
      { progress: 2, total: 4, message: "storing" },
      { progress: 3, total: 4, message: "settling" },
    ]);
  });
});

describe("the payment of a tool call", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["version 2, an object", async () => JSON.parse(atob(await payment()))],
    ["version 2, base64", payment],
    ["version 2, JSON text", async () => atob(await payment())],
    ["version 1, an object", async () => JSON.parse(atob(await signPayment(await offerOf(TEXT))))],
    ["version 1, base64", async () => signPayment(await offerOf(TEXT))],
  ])("a tool call accepts a payment in _meta: %s", async (_, sign) => {
    const answer = await callText(await connect(), await sign());
    result.parse(answer.structuredContent);
  });

  test.each([
    ["PAYMENT-SIGNATURE", signPaymentV2, "eip155:84532"],
    ["X-PAYMENT", signPayment, "base-sepolia"],
  ])("a tool call accepts a payment in the HTTP header %s", async (header, sign, network) => {
    const client = await connect("2026-07-28", { [header]: await sign(await offerOf(TEXT)) });
    const answer = await client.callTool({ name: "add_text_watermark", arguments: text });
    result.parse(answer.structuredContent);
    expect(answer._meta!["x402/payment-response"]).toMatchObject({ network });
  });

  test("one payment buys the same result over MCP and HTTP, and pays for no other request", async () => {
    const [client, paid] = [await connect(), await payment()];
    const first = await callText(client, paid, text, "a key");
    expect((await callText(client, paid, text, "a key")).structuredContent).toEqual(first.structuredContent);
    const http = await send(TEXT, {
      method: "POST",
      headers: { "PAYMENT-SIGNATURE": paid, "Content-Type": "application/json", "Idempotency-Key": "a key" },
      body: JSON.stringify(text),
    });
    expect(await http.json()).toEqual(first.structuredContent);
    const other = await callText(client, paid, { file, text: "OTHER" });
    expect([other.isError, other.structuredContent]).toMatchObject([
      true,
      { error: expect.stringMatching(/^payment_already_used: /) },
    ]);
  });

  test("a tool call with a reused idempotency key returns the first result and says that its new payment stays unused", async () => {
    const client = await connect();
    const first = await callText(client, await payment(), text, "another key");
    const second = await callText(client, await payment(), text, "another key");
    expect(second.structuredContent).toEqual(first.structuredContent);
    expect(second.content[0]).toMatchObject({ text: expect.stringContaining("expires unused") });
    expect(first.content[0]).not.toMatchObject({ text: expect.stringContaining("expires unused") });
    expect(second._meta!["x402/payment-response"]).toMatchObject({
      ...(first._meta!["x402/payment-response"] as object),
      extra: { note: expect.stringContaining("expires unused") },
    });
    const header = await connect("2026-07-28", { "Idempotency-Key": "another key" });
    expect((await callText(header, await payment())).structuredContent).toEqual(first.structuredContent);
    expect(told(await callText(client, await payment(), { file, text: "OTHER" }, "another key"))).toMatchObject({
      code: "idempotency_key_reused",
      status: 422,
    });
  });

  test.each([7, "", "é", "x".repeat(256)])(
    "a tool call rejects the idempotency key %j and leaves the payment usable",
    async (key) => {
      const paid = await payment();
      expect(told(await callText(await connect(), paid, text, key))).toMatchObject({ code: "invalid_request" });
      result.parse((await callText(await connect(), paid)).structuredContent);
    },
  );

  test.each<[string, unknown]>([
    ["a number", 7],
    ["a list", []],
    ["not base64", "?"],
    ["an empty text", ""],
    ["another amount", async () => signPaymentV2({ ...(await offerOf(TEXT)), maxAmountRequired: "1" })],
  ])("a tool call returns the terms and the reason if the payment is %s", async (_, sent) => {
    const answer = await callText(await connect(), typeof sent === "function" ? await sent() : sent);
    expect(answer.isError).toBe(true);
    const { error } = termsV2.parse(answer.structuredContent);
    expect(error).toMatch(/invalid/);
    expect(answer.content[1]).toMatchObject({ text: expect.stringContaining(`Nothing was done yet (${error}).`) });
  });

  test("an unpaid tool call with invalid arguments returns the errors together with the terms", async () => {
    const client = await connect();
    const unpaid = async (fields: object) => {
      const answer = await client.callTool({ name: "add_text_watermark", arguments: { ...fields } });
      const { problems } = termsV2.parse(answer.structuredContent);
      return { ...(answer.content[1] as { text: string }), problems };
    };
    expect((await unpaid({ file, text: "A", opacity: 2 })).text).toMatch(
      /\)\. Fix these fields before you pay: `opacity` must be a number from 0 to 1.*\.$/,
    );
    expect((await unpaid({ nonsense: 1 })).text).toMatch(/`file` is required.*`text` is required.*`nonsense` is not/);
    expect((await unpaid({ file, text: 2026 })).problems).toEqual([
      { path: "text", message: 'must be a string: write "2026"' },
    ]);
    expect(await unpaid(text)).toMatchObject({
      text: expect.not.stringContaining("before you pay"),
      problems: undefined,
    });
  });
});

test("the resource link of a tool result has the requested file name", async () => {
  const client = await connect();
  for (const [fields, name] of [
    [text, "watermarked.pdf"],
    [{ ...text, filename: "Angebot №5" }, "Angebot №5.pdf"],
  ] as const) {
    const key = crypto.randomUUID();
    const paid = await callText(client, await payment(), fields, key);
    expect(paid.content[1]).toMatchObject({ type: "resource_link", name });
    const again = await callText(client, await payment(), fields, key); // The ledger returns this result.
    expect(again.content[1]).toEqual(paid.content[1]);
  }
});

/** Makes the next sold call fail with this error. */
function failOnce(error: Error): void {
  const run = () => Promise.reject(error);
  vi.spyOn(PRODUCTS[0]!, "accept").mockReturnValueOnce({
    digest: async () => undefined,
    fingerprint: async () => "",
    precheck: async () => [],
    run,
  });
}

describe("problems", () => {
  test.each(Object.keys(PROBLEMS) as ProblemCode[])(
    "a tool call returns the problem %s as its result and charges nothing",
    async (code) => {
      const errors = [{ path: "file", message: "is invalid" }];
      failOnce(new Problem(code, "What to do.", { errors }));
      const [client, paid] = [await connect(), await payment()];
      const answer = await callText(client, paid);
      expect(answer.isError).toBe(true);
      expect(answer._meta).not.toHaveProperty("x402/payment-response");
      const { status, title } = PROBLEMS[code];
      expect(told(answer)).toMatchObject({ code, status, title, detail: "What to do.", errors });

      result.parse((await callText(client, paid)).structuredContent); // The payment is still usable.
    },
  );

  test("a tool call reveals no details of an unexpected exception", async () => {
    failOnce(new TypeError("inner workings"));
    const answer = await callText(await connect(), await payment());
    expect(told(answer)).toMatchObject({ code: "internal_error", request_id: expect.stringMatching(/./) });
    expect(JSON.stringify(answer)).not.toContain("inner workings");
  });

  test("a tool call reports invalid arguments with the same messages as HTTP", async () => {
    const [client, paid] = [await connect(), await payment()];
    const fields = { file, text: "A", opactiy: 1, rotation: 999 };
    const http = await send(TEXT, {
      method: "POST",
      headers: { "PAYMENT-SIGNATURE": paid, "Content-Type": "application/json" },
      body: JSON.stringify(fields),
    });
    const { request_id, ...problem } = await http.json<Record<string, unknown>>();
    expect(problem).toMatchObject({ code: "invalid_request" });
    expect(told(await callText(client, paid, fields))).toMatchObject(problem);
    result.parse((await callText(client, paid)).structuredContent);
  });

  test("a tool call without arguments reports invalid arguments", async () => {
    const answer = await (await connect()).callTool({ name: "add_text_watermark", ...paidWith(await payment()) });
    expect(told(answer)).toMatchObject({ code: "invalid_request" });
  });
});

test("a tool call returns results that match the declared output schema", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const output = z.fromJSONSchema(tools[0]!.outputSchema as never);
  for (const answer of [await callText(client, undefined), await callText(client, await payment())])
    output.parse(answer.structuredContent);
});
