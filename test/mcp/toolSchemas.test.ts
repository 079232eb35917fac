import type { Tool } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import { connect } from "../support/mcp.ts";
import { geminiFaults, strictFaults } from "../support/modelRules.ts";

let tools: Tool[];
beforeAll(async () => {
  ({ tools } = await (await connect("2025-11-25")).listTools());
});

describe("the schemas of tools", () => {
  test("the tool schemas have no keyword that Gemini rejects", () => {
    // LangChain and other clients remove `additionalProperties` before they send a schema to Gemini.
    for (const { name, inputSchema } of tools) {
      const { additionalProperties, ...parameters } = inputSchema;
      expect([name, geminiFaults(parameters)]).toEqual([name, []]);
      expect(additionalProperties).toBe(false);
    }
  });

  test("the tool schemas have no keyword that the strict mode of OpenAI rejects", () => {
    for (const { name, inputSchema } of tools) expect([name, strictFaults(inputSchema)]).toEqual([name, []]);
  });

  test("the tool schemas state a field's default in its description", () => {
    const [text] = tools;
    expect(text!.inputSchema.properties).toMatchObject({
      template: { description: expect.stringMatching(/ Default: diagonal\.$/) },
      opacity: { description: expect.stringMatching(/ Default: 0\.3\.$/) },
      offset_x: { description: expect.not.stringContaining("Default") },
    });
  });

  test("the tool schemas mention base64 for a file field, except the schema of request_upload", () => {
    const [text, , upload] = tools;
    const { file } = text!.inputSchema.properties as Record<string, { description: string }>;
    expect(file!.description).toContain("A small one also as base64.");
    expect(upload!.description).not.toContain("base64");
  });
});
