import { afterEach, describe, expect, test } from "vitest";
import { signPayment, signPaymentV2 } from "../../scripts/lib/pay.ts";
import { uploadOffer } from "../../src/service/request/uploads.ts";
import { offerOf, send, TEXT } from "../support/client.ts";
import { connect, REVISIONS } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";
import { emptyBucket, storedKeys } from "../support/storage.ts";
import { decodeHeader } from "../support/x402.ts";

afterEach(emptyBucket);

const payment = async () => decodeHeader(await signPaymentV2(await offerOf(TEXT)));

describe.each(Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])("request_upload, protocol %s", (revision) => {
  test("request_upload returns a handle for free, and another tool can mark the uploaded file", async () => {
    const client = await connect(revision);
    await client.listTools(); // The client validates results only against the schemas of tools that it has listed.
    const asked = await client.callTool({ name: "request_upload", arguments: { name: "a.pdf", size: onePage.length } });
    expect(asked.isError).toBeFalsy();
    const { handle, upload, curl } = uploadOffer().parse(asked.structuredContent);
    expect(asked.content).toEqual([{ type: "text", text: expect.stringContaining(curl) }]);
    expect((await send(upload.url, { method: "PUT", body: onePage, headers: upload.headers })).status).toBe(200);
    const marked = await client.callTool({
      name: "add_text_watermark",
      arguments: { file: handle, text: "A" },
      _meta: { "x402/payment": await payment() },
    });
    expect(marked.structuredContent).toMatchObject({ output: { pages: 1 } });
  });

  test("request_upload requires a payment for a large file", async () => {
    const client = await connect(revision);
    await client.listTools();
    const ask = (more = {}) =>
      client.callTool({ name: "request_upload", arguments: { name: "a.pdf", size: 100_000_000 }, ...more });
    const unpaid = await ask();
    expect([unpaid.isError, unpaid.structuredContent]).toMatchObject([true, { x402Version: 2, accepts: [{}] }]);
    expect(unpaid.content[1]).toMatchObject({ text: expect.not.stringContaining("header") });
    expect(await storedKeys()).toEqual([]);
    const paid = await ask({ _meta: { "x402/payment": await payment() } });
    expect(uploadOffer().parse(paid.structuredContent).upload.headers["Content-Length"]).toBe("100000000");
  });
});

test("request_upload reports invalid arguments", async () => {
  const client = await connect();
  const { isError, content } = await client.callTool({ name: "request_upload", arguments: { path: "/home/a.pdf" } });
  expect([isError, content]).toEqual([true, [{ type: "text", text: expect.stringContaining("invalid_request") }]]);
});

test("POST /v1/uploads accepts payments of both x402 versions for a large upload", async () => {
  const ask = (headers = {}) => send("/v1/uploads", { method: "POST", headers, body: '{"size":100000000}' });
  const unpaid = await ask();
  expect(unpaid.status).toBe(402);
  expect(await unpaid.clone().json()).toMatchObject({ error: expect.stringContaining("larger than 10000000 bytes") });
  expect(decodeHeader(unpaid.headers.get("PAYMENT-REQUIRED")!)).toMatchObject({
    resource: { url: "http://localhost/v1/uploads" },
    accepts: [{ amount: "50000" }],
  });
  const { accepts } = await unpaid.json<{ accepts: Awaited<ReturnType<typeof offerOf>>[] }>();
  expect((await ask({ "X-PAYMENT": await signPayment(accepts[0]!) })).status).toBe(201);
  expect((await ask({ "PAYMENT-SIGNATURE": await signPaymentV2(accepts[0]!) })).status).toBe(201);
});
