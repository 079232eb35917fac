import { describe, expect, test } from "vitest";
import { MCP, sendMcp } from "../support/mcp.ts";

const post = (body: unknown, headers: Record<string, string> = {}) =>
  sendMcp(MCP, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Returns the message of a response, which is JSON or a stream with one event. */
async function messageIn(response: Response): Promise<{ result?: Record<string, unknown>; error?: { code: number } }> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

/** Sends a request of revision 2026-07-28, in which each message identifies its client. */
const stateless = (method: string, params: object = {}, name?: string) =>
  post(
    {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
    { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...(name && { "Mcp-Name": name }) },
  );

describe("the MCP endpoint", () => {
  test.each(["2025-11-25", "2025-06-18"])(
    "the MCP endpoint negotiates protocol version %s without a session",
    async (revision) => {
      const response = await post(initialize(revision));
      expect(response.headers.get("Mcp-Session-Id")).toBeNull();
      expect((await messageIn(response)).result).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: "overprint" },
        capabilities: { tools: {}, resources: {}, prompts: {} },
      });
    },
  );

  test("the MCP endpoint describes itself in the answer to server/discover", async () => {
    const { result } = await messageIn(await stateless("server/discover"));
    expect(result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: expect.stringContaining("0.05 USDC"),
    });
  });

  test("the MCP endpoint answers tool calls with a stream and other requests with JSON", async () => {
    const list = await stateless("tools/list");
    expect(list.headers.get("Content-Type")).toContain("application/json");
    const name = "add_text_watermark";
    const call = await stateless("tools/call", { name, arguments: {} }, name);
    expect(call.headers.get("Content-Type")).toContain("text/event-stream");
    expect((await messageIn(call)).result).toMatchObject({ isError: true });
  });

  test.each(["*/*", "application/json, text/plain, */*", "application/json;q=0.9, */*;q=0.1", ""])(
    "the MCP endpoint treats the Accept header %j like a list of both response types",
    async (accept) => {
      const params = { name: "add_text_watermark", arguments: {} };
      for (const message of [
        initialize("2025-11-25"),
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      ]) {
        const response = await post(message, { Accept: accept });
        expect(response.status).toBe(200);
        expect(await messageIn(response)).toEqual(await messageIn(await post(message)));
      }
    },
  );

  test("the MCP endpoint answers a client that sends no Accept header", async () => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(initialize("2025-11-25"));
    expect((await sendMcp(MCP, { method: "POST", headers, body })).status).toBe(200);
  });

  test.each(["application/json", "text/html"])(
    "the MCP endpoint rejects the Accept header %s and names the missing response type",
    async (accept) => {
      const response = await post(initialize("2025-11-25"), { Accept: accept });
      expect(response.status).toBe(406);
      expect(JSON.stringify(await response.json())).toContain("text/event-stream");
    },
  );

  test("the MCP endpoint rejects a call of an unknown tool", async () => {
    const { error } = await messageIn(
      await stateless("tools/call", { name: "remove_watermark", arguments: {} }, "remove_watermark"),
    );
    expect(error).toMatchObject({ code: -32602 });
  });

  test.each(["GET", "DELETE"])("the MCP endpoint rejects %s, since it has no sessions", async (method) => {
    const response = await sendMcp(MCP, { method, headers: { Accept: "text/event-stream" } });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  test.each<[string, string, number, number]>([
    ["{", "application/json", 400, -32700],
    ["", "application/json", 400, -32700],
    ['{"neither":"request nor answer"}', "application/json", 400, -32600],
    [JSON.stringify(initialize("2025-11-25")), "text/plain", 415, -32000],
  ])("the MCP endpoint rejects the body %j with content type %s", async (body, type, status, code) => {
    const response = await post(body, { "Content-Type": type });
    expect(response.status).toBe(status);
    expect((await messageIn(response)).error).toMatchObject({ code });
  });

  test("the MCP endpoint rejects a message over the size limit and says what the caller can do", async () => {
    const response = await post("x".repeat(32_000_001));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: "body_too_large",
      detail: expect.stringMatching(/URL.*request_upload/),
    });
  });

  test("the MCP endpoint rejects a request from a foreign web page", async () => {
    expect((await post(initialize("2025-11-25"), { Origin: "https://evil.example.com" })).status).toBe(403);
  });
});

test("the MCP endpoint rejects a message that repeats an argument", async () => {
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_text_watermark","arguments":{"text":"A","text":"B"}}}`;
  const response = await post(message);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32600, message: expect.stringContaining('"text"') } });
});

test("the MCP endpoint rejects a batch, since a batch could run many calls for the price of one", async () => {
  const response = await post(JSON.stringify([initialize("2025-11-25"), initialize("2025-11-25")]));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32600, message: expect.stringContaining("batches") } });
});

test("the MCP endpoint rejects a message with too many values, even in a batch", async () => {
  const { id: _, ...one } = initialize("2025-11-25");
  const response = await post(JSON.stringify(Array(1000).fill(one)));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32600, message: expect.stringContaining("values") } });
});
