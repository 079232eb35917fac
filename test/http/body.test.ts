import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { ORIGIN, offerOf, send, TEXT } from "../support/client.ts";

const MB = new Uint8Array(1 << 20).fill(0x61);

/**
 * Returns a body of unknown length that consists of `beginning` and 200 MB of filler. `read()` returns the number of
 * megabytes of filler read so far.
 */
function endless(beginning: string) {
  let read = 0;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
    pull: (controller) => (++read > 200 ? controller.close() : controller.enqueue(MB)),
  });
  return { body, read: () => read };
}

const part = (name: string, more = "") => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

describe("a body of unknown length", () => {
  const post = async (type: string, body: ReadableStream) => {
    const headers = { "Content-Type": type, "X-PAYMENT": await signPayment(await offerOf(TEXT)) };
    return (await send(TEXT, { method: "POST", headers, body })).json();
  };

  test("the service reports an invalid form before the rest of a long body arrives", async () => {
    const { body, read } = endless(`${part("text")}A\r\n${part("text")}B\r\n${part("file", '; filename="a.pdf"')}`);
    expect(await post("multipart/form-data; boundary=b", body)).toMatchObject({ code: "invalid_request" });
    expect(read()).toBeLessThan(10);
  });

  test.each([
    ["a form", "multipart/form-data; boundary=b", 100, `${part("file", '; filename="a.pdf"')}%PDF-`, "body_too_large"],
    ["a form without a file", "multipart/form-data; boundary=b", 32, part("text"), "body_too_large"],
    ["JSON", "application/json", 32, '{"text":"', "body_too_large"],
  ])(
    "the service rejects a body without Content-Length as soon as it exceeds the limit: %s",
    async (_, type, megabytes, beginning, code) => {
      const { body, read } = endless(beginning);
      expect(await post(type, body)).toMatchObject({ code });
      expect(read()).toBeLessThan(megabytes + 10);
    },
  );

  test("the MCP endpoint rejects a message without Content-Length as soon as it exceeds the limit", async () => {
    const { body, read } = endless('{"jsonrpc":"');
    const headers = { "Content-Type": "application/json", Host: new URL(ORIGIN).host };
    const response = await send("/mcp", { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ code: "body_too_large" });
    expect(read()).toBeLessThan(12); // the service drains at most 8 MB of a body without Content-Length
  });
});

describe("a body with Content-Encoding", () => {
  test.each([
    ["POST", TEXT],
    ["POST", "/v1/watermark/image"],
    ["POST", "/v1/uploads"],
    ["PUT", "/v1/uploads/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ["POST", "/mcp"],
  ])(
    "the service rejects a compressed body and says that only the encoding `identity` is supported: %s %s",
    async (method, path) => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const response = await send(path, { method, headers, body: "{}" });
      expect(response.status).toBe(415);
      expect(response.headers.get("Accept-Encoding")).toBe("identity");
      expect(await response.json()).toMatchObject({
        code: "unsupported_media_type",
        detail: expect.stringContaining("without Content-Encoding"),
      });
    },
  );

  test("the service accepts Content-Encoding: identity, and any Content-Encoding of an empty body", async () => {
    const headers = { "Content-Type": "application/json", "Content-Encoding": "Identity, identity" };
    expect((await send("/v1/uploads", { method: "POST", headers, body: '{"size":100}' })).status).toBe(201);
    const empty = { "Content-Encoding": "gzip", "Content-Length": "0" };
    expect((await send("/v1/limits", { headers: empty })).status).toBe(200);
    expect((await send(TEXT, { method: "POST", headers: empty, body: "" })).status).toBe(402);
  });
});
