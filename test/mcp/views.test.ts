import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { takesViews } from "../../src/mcp/views.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { callPaid, dataUri, send, TEXT } from "../support/client.ts";
import { connect, MCP, type REVISIONS, sendMcp } from "../support/mcp.ts";
import { onePage } from "../support/pdf.ts";

const EXTENSION = "io.modelcontextprotocol/ui";
const HTML = "text/html;profile=mcp-app";
const URI = "ui://overprint/result";

/** Connects a client that declares these protocol extensions. */
const connectWith = (revision: keyof typeof REVISIONS, extensions: Record<string, object> = {}) =>
  connect(revision, {}, { extensions } as object);

/** Returns the tools, resources and server capabilities that a client sees. */
async function seen(client: Client) {
  const { tools: all } = await client.listTools();
  const tools = all.filter(({ name }) => PRODUCTS.some(({ tool }) => tool === name));
  const { resources } = await client.listResources();
  return { tools, uris: resources.map(({ uri }) => uri), capabilities: client.getServerCapabilities() };
}

describe("a client that shows views", () => {
  test.each(["2026-07-28", "2025-11-25"] as const)(
    "the MCP endpoint offers the result view to a client that supports views, protocol version %s",
    async (revision) => {
      const client = await connectWith(revision, { [EXTENSION]: { mimeTypes: [HTML] } });
      const { tools, uris, capabilities } = await seen(client);
      for (const { _meta } of tools) expect(_meta).toHaveProperty("ui", { resourceUri: URI });
      expect(uris).toContain(URI);
      expect(capabilities).toHaveProperty(["extensions", EXTENSION], {});
      const { contents } = await client.readResource({ uri: URI });
      expect(contents).toMatchObject([
        {
          uri: URI,
          mimeType: HTML,
          text: expect.stringMatching(/^<!doctype html><html lang="en">/),
          _meta: {
            ui: {
              csp: { connectDomains: ["http://localhost"], resourceDomains: ["http://localhost"] },
              prefersBorder: true,
            },
          },
        },
      ]);
    },
  );

  test("the result view loads assets only from this deployment", async () => {
    const client = await connectWith("2026-07-28", { [EXTENSION]: { mimeTypes: [HTML] } });
    const { contents } = await client.readResource({ uri: URI });
    const { text } = contents[0] as { text: string };
    expect(text).not.toMatch(/\son\w+=|<style|<script[^>]*>[^<]/);
    const parts = Array.from(text.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g), ([, address]) => address!);
    expect(parts).toEqual(["http://localhost/assets/chat.css", "http://localhost/assets/chat.js"]);
    for (const part of parts) expect((await send(part)).status).toBe(200);
  });

  test("the result view may connect to FILE_HOST if that setting is set", async () => {
    const context = createExecutionContext();
    const message = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: URI } };
    const response = await app.fetch(
      new Request("https://pdf.example.com/mcp", {
        method: "POST",
        headers: {
          Host: "pdf.example.com",
          Accept: "application/json, text/event-stream",
          "Content-Type": "application/json",
        },
        body: JSON.stringify(message),
      }),
      {
        ...env,
        FILE_HOST: "files.example.com",
        PAY_TO: `0x${"aa".repeat(20)}`,
        FACILITATOR_URL: "https://facilitator.example.com/good",
      },
      context,
    );
    const text = await response.text();
    await waitOnExecutionContext(context);
    expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)).toMatchObject({
      result: {
        contents: [
          {
            text: expect.stringContaining('data-files="https://files.example.com/v1/files"'),
            _meta: {
              ui: {
                csp: {
                  connectDomains: ["https://pdf.example.com", "https://files.example.com"],
                  resourceDomains: ["https://pdf.example.com"],
                },
              },
            },
          },
        ],
      },
    });
  });
});

describe("a client that shows no views", () => {
  test.each<[string, Record<string, object>]>([
    ["does not mention views", {}],
    ["shows views of another type", { [EXTENSION]: { mimeTypes: ["text/uri-list"] } }],
    ["names no type", { [EXTENSION]: {} }],
  ])("the MCP endpoint offers no view to a client that %s", async (_, extensions) => {
    const { tools, uris, capabilities } = await seen(await connectWith("2026-07-28", extensions));
    for (const tool of tools) expect(tool).not.toHaveProperty("_meta.ui");
    expect(uris).not.toContain(URI);
    expect(capabilities).not.toHaveProperty(["extensions", "io.modelcontextprotocol/ui"]);
  });
});

test.each<[string, unknown, boolean]>([
  ["none", undefined, true],
  ["null", null, true],
  ["a number", 7, true],
  ["an older revision without capabilities", { method: "tools/list", params: null }, true],
  ["a handshake without the extension", { method: "initialize", params: { capabilities: {} } }, false],
  [
    "a handshake with an invalid extension",
    { params: { capabilities: { extensions: { [EXTENSION]: { mimeTypes: 1 } } } } },
    false,
  ],
  [
    "a handshake with the extension",
    { params: { capabilities: { extensions: { [EXTENSION]: { mimeTypes: [HTML] } } } } },
    true,
  ],
])("takesViews decides from the message whether to offer views: %s", (_, message, offered) => {
  expect(takesViews(message)).toBe(offered);
});

describe("a frame without an origin", () => {
  const headers = { Origin: "null" };

  test("a frame with an opaque origin can load the assets of the result view", async () => {
    for (const path of [
      "/assets/chat.js",
      "/assets/chat.css",
      "/assets/pdf.worker.js",
      "/assets/schibsted-grotesk.woff2",
    ]) {
      const response = await send(path, { headers });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
      expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
      await response.body?.cancel();
    }
  });

  test("a frame with an opaque origin can download byte ranges of a result and revoke its link with the token", async () => {
    const sold = await callPaid(TEXT, { file: dataUri("application/pdf", onePage), text: "A" });
    const { url } = (await sold.json<{ output: { url: string } }>()).output;
    const part = await send(url, { headers: { ...headers, Range: "bytes=0-4" } });
    expect([part.status, await part.text()]).toEqual([206, "%PDF-"]);
    expect(part.headers.get("Access-Control-Allow-Origin")).toBe("*");
    for (const name of ["Accept-Ranges", "Content-Range"])
      expect(part.headers.get("Access-Control-Expose-Headers")).toContain(name);

    const asked = { ...headers, "Access-Control-Request-Method": "DELETE" };
    const preflight = await send(url, { method: "OPTIONS", headers: asked });
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toContain("DELETE");
    expect((await send(url.replace(/token=./, "token="), { method: "DELETE", headers })).status).toBe(403);
    expect((await send(url, { method: "DELETE", headers })).status).toBe(204);
    expect((await send(url, { headers })).status).toBe(410);
  });

  test("a frame with an opaque origin cannot send requests to the MCP endpoint", async () => {
    const response = await sendMcp(MCP, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(403);
  });
});
