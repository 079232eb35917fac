import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { signPaymentV2 } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { dataUri, offerOf, TEXT } from "../support/client.ts";
import { connect } from "../support/mcp.ts";
import { PATHS } from "../support/paths.ts";
import { onePage } from "../support/pdf.ts";
import { RED_PNG } from "../support/png.ts";

const pdf = dataUri("application/pdf", onePage);
const blob = onePage.toBase64();
const image = RED_PNG.toBase64();
const attached = { file_id: "file-7", mime_type: "application/pdf", file_name: "contract.pdf" };

/** Calls a tool with a valid payment. */
async function callPaid(name: string, fields: object) {
  const payment = await signPaymentV2(await offerOf(TEXT));
  return (await connect()).callTool({ name, arguments: { ...fields }, _meta: { "x402/payment": payment } });
}

describe("files as hosts and clients send them", () => {
  test.each<[string, unknown]>([
    ["a host's attachment", { download_url: "https://example.com/contract.pdf", ...attached }],
    ["a data URI with the file's name (SEP-2356)", pdf.replace(";", ";name=a%2Cb.pdf;")],
    ["an attachment with only the required properties", { download_url: pdf, file_id: "file-7" }],
    ["an attachment with unknown properties", { download_url: pdf, ...attached, size: 9, extra: null }],
    [
      "an embedded resource",
      { type: "resource", resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob } },
    ],
    ["resource contents", { uri: "file:///a.pdf", blob }],
    ["resource contents without a type", { uri: "x://1", mimeType: null, blob }],
    ["a resource link", { type: "resource_link", uri: pdf, name: "a.pdf" }],
    ["an embedded resource with only a URI", { type: "resource", resource: { uri: pdf } }],
  ])("a tool accepts a file as %s", async (_, file) => {
    const { structuredContent } = await callPaid("add_text_watermark", { file, text: "A" });
    expect(result.parse(structuredContent).output.pages).toBe(1);
  });

  test.each<[string, unknown]>([
    ["a host's attachment", { download_url: dataUri("image/png", RED_PNG), ...attached }],
    ["an image block", { type: "image", data: image, mimeType: "image/png" }],
    ["an image block with a data URI", { type: "image", data: dataUri("image/png", RED_PNG), mimeType: "image/png" }],
    ["an embedded resource", { type: "resource", resource: { uri: "file:///logo.png", blob: image } }],
  ])("a tool accepts an image as %s", async (_, logo) => {
    const { structuredContent } = await callPaid("add_image_watermark", { file: pdf, image: logo });
    result.parse(structuredContent);
  });

  test("a tool applies the rules for file URLs to an attachment's download URL", async () => {
    const refused = await callPaid("add_text_watermark", {
      file: { download_url: "http://10.0.0.1/a.pdf", ...attached },
      text: "A",
    });
    expect(JSON.stringify(refused.content)).toMatch(/source_not_allowed.*request_upload/);
  });
});

describe("files that the service cannot read", () => {
  const LOCAL = [
    ...PATHS,
    { download_url: "sandbox:/mnt/data/a.pdf", file_id: "file-7" },
    { type: "resource_link", uri: "file:///home/me/a.pdf", name: "a.pdf" },
    { type: "resource", resource: { uri: "file:///home/me/a.pdf", text: "" } },
  ];
  test.each(LOCAL.map((file) => [file]))("a tool rejects the file %j and explains how to upload it", async (file) => {
    const client = await connect();
    const name = "add_text_watermark";
    const unpaid = await client.callTool({ name, arguments: { file, text: "A" } });
    expect(unpaid.content[1]).toMatchObject({
      text: expect.stringMatching(
        /^This call costs .* Fix these fields before you pay: `file` must be .* request_upload/,
      ),
    });
    const paid = await callPaid(name, { file, text: "A" });
    expect(JSON.stringify(paid.content)).toMatch(/invalid_request.*request_upload/);
  });

  test.each([[{}], [{ file_id: "file-7" }], [[]], [7], [null], [{ type: "resource" }], [{ uri: 7 }]])(
    "a tool rejects %j as a file",
    async (file) => {
      const { content } = await callPaid("add_text_watermark", { file, text: "A" });
      expect(JSON.stringify(content)).toContain(
        "`file` must be a URL, a data URI, base64 or an upload (tool request_upload, or POST /v1/uploads).",
      );
    },
  );
});

describe("the definitions of paid tools", () => {
  const sold = async (headers: Record<string, string> = {}) => {
    const { tools } = await (await connect("2026-07-28", headers)).listTools();
    return PRODUCTS.map((product) => tools.find(({ name }) => name === product.tool)!);
  };

  test("a tool declares each file as a string, since many hosts reject a choice of types", async () => {
    for (const { inputSchema, _meta } of await sold()) {
      for (const name of ["file", "image"]) {
        const property = inputSchema.properties![name] as object | undefined;
        if (property) expect(property).toEqual({ type: "string", description: expect.stringMatching(/./) });
      }
      expect(_meta).not.toHaveProperty("openai/fileParams");
    }
  });

  test("a tool declares ChatGPT's object for an attached file only to ChatGPT", async () => {
    const tools = await sold({ "User-Agent": "openai-mcp/1.0.0" });
    expect(tools.map(({ _meta }) => _meta!["openai/fileParams"])).toEqual([["file"], ["file", "image"]]);
    for (const { inputSchema, _meta } of tools)
      for (const name of _meta!["openai/fileParams"] as string[]) {
        const { anyOf } = inputSchema.properties![name] as { anyOf: Record<string, object>[] };
        const accept = name === "file" ? ["application/pdf"] : ["image/png", "image/jpeg"];
        expect(anyOf).toMatchObject([
          { type: "string", "x-mcp-file": { accept } },
          { type: "object", required: ["download_url", "file_id"], additionalProperties: false },
        ]);
        expect(Object.keys(anyOf[1]!.properties!)).toEqual(["download_url", "file_id", "mime_type", "file_name"]);
      }
  });

  test("the schema of a tool accepts the documented example and every documented value", async () => {
    for (const { name, inputSchema } of await sold()) {
      const schema = z.fromJSONSchema(inputSchema as never);
      const { example } = PRODUCTS.find(({ tool }) => tool === name)!;
      schema.parse(example);
      for (const [field, property] of Object.entries(inputSchema.properties!))
        for (const value of (property as { enum?: string[] }).enum ?? []) schema.parse({ ...example, [field]: value });
    }
  });

  // Hosts pass these schemas to model APIs. If a tool schema has an unknown keyword or a string with properties, Gemini
  // rejects every request of the conversation.
  test("the arguments of all tools use only keywords that every host accepts", async () => {
    const { tools } = await (await connect()).listTools();
    const known = ["type", "description", "enum"];
    for (const { inputSchema } of tools) {
      expect(
        Object.keys(inputSchema).filter(
          (keyword) => !/^(type|properties|required|additionalProperties)$/.test(keyword),
        ),
      ).toEqual([]);
      for (const property of Object.values(inputSchema.properties!) as object[]) {
        expect(Object.keys(property)).toEqual(expect.arrayContaining(["type", "description"]));
        expect(Object.keys(property).filter((keyword) => !known.includes(keyword))).toEqual([]);
      }
    }
  });

  test("the list of tools takes at most 9 KB, since hosts send it with every request", async () => {
    const { tools } = await (await connect()).listTools();
    expect(new TextEncoder().encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(9000);
  });

  test("the MCP server's description of itself refers only to existing icons", async () => {
    const { icons = [] } = (await connect()).getServerVersion()!;
    expect(icons.map(({ mimeType }) => mimeType)).toEqual(["image/png", "image/svg+xml"]);
    for (const { src, mimeType } of icons) {
      const response = await exports.default.fetch(src);
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, mimeType]);
    }
  });
});
