import type { Tool } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import anthropic from "../../scripts/clients/bodies/anthropic-ai-sdk.json";
import geminiAiSdk from "../../scripts/clients/bodies/gemini-ai-sdk.json";
import geminiAiSdk6 from "../../scripts/clients/bodies/gemini-ai-sdk-6.json";
import geminiLangChain from "../../scripts/clients/bodies/gemini-langchain.json";
import mcporter from "../../scripts/clients/bodies/mcporter.json";
import openAiStrict from "../../scripts/clients/bodies/openai-agents-strict.json";
import openAi from "../../scripts/clients/bodies/openai-ai-sdk.json";
import { connect } from "../support/mcp.ts";
import { geminiFaults, type Parameters, strictFaults } from "../support/modelRules.ts";

/**
 * Tests recorded request bodies that hosts build for model APIs from the list of tools. `npm run check:clients` builds
 * the bodies with the hosts' packages. With `-- bodies --update`, it also records them.
 */

/** A tool in one of the formats in which request bodies declare functions. */
interface Declared {
  name: string;
  strict?: boolean;
  parameters?: Parameters;
  parametersJsonSchema?: Parameters;
  input_schema?: Parameters;
}

const declaredToGemini = ([first]: object[]) => (first as { functionDeclarations: Declared[] }).functionDeclarations;

let tools: Tool[];
beforeAll(async () => {
  ({ tools } = await (await connect("2025-11-25")).listTools());
});

/** Returns a schema without its descriptions, whose wording may differ from the recorded one. */
function worded(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === "description" && typeof value === "string" ? undefined : value)),
  );
}

test.each<[string, Declared[]]>([
  ["Anthropic, AI SDK", anthropic as Declared[]],
  ["OpenAI, AI SDK", openAi as Declared[]],
  ["Gemini, AI SDK 7", declaredToGemini(geminiAiSdk)],
])("the recorded request body for %s contains the schemas of the current tools unchanged", (_, declared) => {
  const recorded = declared.map(({ name, input_schema, parameters, parametersJsonSchema }) => [
    name,
    worded({ ...(input_schema ?? parameters ?? parametersJsonSchema), $schema: undefined }),
  ]);
  expect(recorded).toEqual(tools.map(({ name, inputSchema }) => [name, worded(inputSchema)]));
});

describe.each([
  ["AI SDK 6", declaredToGemini(geminiAiSdk6)],
  ["LangChain", declaredToGemini(geminiLangChain)],
])("the body for Gemini that %s builds", (_, declared) => {
  test("a recorded request body for Gemini declares every tool, and contains only what Gemini accepts", () => {
    expect(declared.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { name, parameters } of declared) expect([name, geminiFaults(parameters!)]).toEqual([name, []]);
  });
});

test("the recorded request body of OpenAI Agents uses strict mode for every tool, without anything that strict mode rejects", () => {
  expect(openAiStrict.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const { name, strict, parameters } of openAiStrict as unknown as Required<Declared>[]) {
    expect([name, strict]).toEqual([name, true]);
    expect([name, strictFaults(parameters)]).toEqual([name, []]);
    expect(parameters.required).toEqual(Object.keys(parameters.properties as object));
  }
});

test("mcporter shows files as strings to a model", () => {
  expect(mcporter.map((signature) => /^function (\w+)\(/.exec(signature)?.[1])).toEqual(tools.map(({ name }) => name));
  expect(mcporter[0]).toContain("file: string");
  expect(mcporter[1]).toContain("file: string, image: string");
  expect(mcporter.join()).not.toContain("unknown");
});

describe("the rules of model APIs", () => {
  const broken = {
    type: "object",
    properties: {
      file: { description: "The PDF.", anyOf: [{ type: "string", properties: {}, "x-mcp-file": {} }] },
      scale: { type: "number", exclusiveMinimum: 0, default: 0.5, examples: [0.2] },
    },
  };

  test("geminiFaults finds every violation of Gemini's rules in a broken tool schema", () => {
    expect(geminiFaults(broken)).toEqual([
      "parameters.properties[file]: specified other fields alongside any_of. When using any_of, it must be the only field set.",
      'parameters.properties[file].any_of[0]: Unknown name "x-mcp-file": Cannot find field.',
      "parameters.properties[file].any_of[0].properties: only allowed for OBJECT type",
      'parameters.properties[scale]: Unknown name "exclusiveMinimum": Cannot find field.',
      'parameters.properties[scale]: Unknown name "examples": Cannot find field.',
    ]);
  });

  test("strictFaults finds every violation of the rules of OpenAI's strict mode in a broken tool schema", () => {
    expect(strictFaults(broken)).toEqual([
      "parameters: 'additionalProperties' is required to be supplied and to be false.",
      "parameters.properties[file].any_of[0]: 'x-mcp-file' is not permitted.",
      "parameters.properties[scale]: 'exclusiveMinimum' is not permitted.",
      "parameters.properties[scale]: 'default' is not permitted.",
      "parameters.properties[scale]: 'examples' is not permitted.",
    ]);
  });
});
