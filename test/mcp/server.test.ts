import { describe, expect, test } from "vitest";
import document from "../../docs/mcp.md?raw";
import pkg from "../../package.json";
import registered from "../../server.json";
import { IMAGE_POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import { send } from "../support/client.ts";
import { connect } from "../support/mcp.ts";

describe("information that needs no payment", () => {
  test("the free MCP resource overprint://options contains the templates, positions, limits and price", async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["overprint://options", "overprint://guide"]);
    const { contents } = await client.readResource({ uri: "overprint://options" });
    const [content] = contents;
    const options = JSON.parse(content && "text" in content ? content.text : "");
    expect(options).toMatchObject({
      price: { label: "0.05 USDC", networks: ["base-sepolia"] },
      positions: IMAGE_POSITIONS,
      limits: { file_bytes: 1_000_000_000, file_pages: 50_000, link_seconds: 86_400 },
    });
    expect(options.templates.stamp).toBe(TEMPLATES.stamp.description);
  });

  test("docs/mcp.md lists every tool and resource, and the instructions list every resource", async () => {
    const client = await connect();
    for (const { name } of (await client.listTools()).tools) expect(document).toContain(`| \`${name}\` |`);
    for (const { uri } of (await client.listResources()).resources) {
      expect(client.getInstructions()).toContain(uri);
      expect(document).toContain(`\`${uri}\``);
    }
  });

  test("the MCP resource with the guide has the same text as /llms.txt", async () => {
    const response = await send("/llms.txt");
    expect(response.headers.get("Content-Type")).toContain("text/plain");
    const guide = await response.text();
    for (const fact of [
      "add_text_watermark",
      "/v1/watermark/image",
      "0.05 USDC",
      TEMPLATES.outline.description,
      "sidebar",
    ])
      expect(guide).toContain(fact);
    expect(guide).not.toMatch(/undefined|\[object/);
    const { contents } = await (await connect()).readResource({ uri: "overprint://guide" });
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: guide });
  });

  test("the MCP prompt contains the caller's file and the options", async () => {
    const client = await connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["watermark"]);
    const file = "https://example.com/contract.pdf";
    const { messages } = await client.getPrompt({ name: "watermark", arguments: { file, wish: "DRAFT on each page" } });
    expect(JSON.stringify(messages)).toContain(file);
    expect(JSON.stringify(messages)).toContain(TEMPLATES.stamp.description);
  });
});

describe("descriptions for registries and clients", () => {
  test("the server card contains the URL of the MCP endpoint", async () => {
    const response = await send("https://pdf.example.com/.well-known/mcp/server-card.json");
    expect(response.headers.get("Content-Type")).toBe("application/mcp-server-card+json");
    const card = await response.json<{ description: string }>();
    expect(card).toMatchObject({
      name: "com.example.pdf/overprint",
      version: pkg.version,
      remotes: [{ type: "streamable-http", url: "https://pdf.example.com/mcp" }],
    });
    expect(card.description.length).toBeLessThanOrEqual(100); // The schema of the server card limits the description to 100 characters.
  });

  test("server.json has the same title, description and version as the server card", async () => {
    const { description, title, version } = await (await send("/.well-known/mcp/server-card.json")).json<
      typeof registered
    >();
    expect(registered).toMatchObject({ description, title, version });
    expect(registered.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(registered.remotes[0]!.url).toMatch(/\/mcp$/);
  });
});
