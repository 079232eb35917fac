import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents";
import { generateText, isStepCount } from "ai";
import OpenAI from "openai";
import { runIn } from "./program.mjs";
import { stubModel } from "./stubModel.mjs";

/**
 * Clients without a wallet: MCP hosts, whose model is a {@link stubModel}, and command-line programs. Each client lists
 * the tools, makes a free call, and calls a paid tool without a payment.
 */

const UPLOAD = { name: "request_upload", arguments: { name: "contract.pdf" } };
const UNPAID = { name: "add_text_watermark", arguments: { file: "https://example.com/contract.pdf", text: "DRAFT" } };
const SCRIPT = [UPLOAD, UNPAID];

/** Runs `use` with a temporary home directory for the files of a program. @template T @param {(home: string) => Promise<T>} use */
async function inHome(use) {
  const home = await mkdtemp(join(tmpdir(), "overprint-client-"));
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Returns the tools that a model has seen, and the answers to its tool calls. @param {any[]} bodies the requests to the
 * model's API
 */
function seenBy(bodies) {
  const names = (/** @type {any} */ tools) =>
    tools
      .flatMap((/** @type {any} */ tool) => tool.functionDeclarations ?? tool)
      .map((/** @type {any} */ { name }) => name);
  const seen = JSON.stringify(bodies.at(-1).input ?? bodies.at(-1).contents);
  const [handle] = /upload:\d{6}-[0-9a-f]{32}/.exec(seen) ?? [];
  return { listed: names(bodies[0].tools), ...(handle && { uploaded: { handle } }), terms: seen };
}

/** Runs the AI SDK with an OpenAI model. @param {string} url the MCP endpoint */
async function withAiSdk(url) {
  const { fetch, bodies } = stubModel("openai", SCRIPT);
  const client = await createMCPClient({ transport: { type: "http", url } });
  try {
    const model = createOpenAI({ apiKey: "none", fetch })("gpt-5");
    await generateText({ model, tools: await client.tools(), prompt: "Mark my PDF.", stopWhen: isStepCount(5) });
    return seenBy(bodies);
  } finally {
    await client.close();
  }
}

/** Runs OpenAI Agents in strict mode. @param {string} url the MCP endpoint */
async function withOpenAiAgents(url) {
  const { fetch, bodies } = stubModel("openai", SCRIPT);
  await runOpenAiAgent(url, fetch);
  return seenBy(bodies);
}

/**
 * Runs an agent of OpenAI Agents in strict mode.
 * @param {string} url the MCP endpoint
 * @param {typeof fetch} fetch the model's API
 */
export async function runOpenAiAgent(url, fetch) {
  const server = new MCPServerStreamableHttp({ url, name: "overprint" });
  await server.connect();
  try {
    const mcpConfig = { convertSchemasToStrict: true };
    const agent = new Agent({ name: "clerk", mcpServers: [server], model: "gpt-5", mcpConfig });
    const openAIClient = new OpenAI({ apiKey: "none", fetch, maxRetries: 0 });
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
    await runner.run(agent, "Mark my PDF.");
  } finally {
    await server.close();
  }
}

/** Runs LangChain with a Gemini model. @param {string} url the MCP endpoint */
async function withLangChain(url) {
  const { fetch, bodies } = stubModel("gemini", SCRIPT);
  await runLangChain(url, fetch);
  return seenBy(bodies);
}

/**
 * Runs a Gemini model with LangChain until the model calls no more tools.
 * @param {string} url the MCP endpoint
 * @param {typeof fetch} answer the model's API
 */
export async function runLangChain(url, answer) {
  const client = new MultiServerMCPClient({ overprint: { transport: "http", url } });
  const { fetch } = globalThis;
  try {
    const tools = await client.getTools();
    // replaces the global `fetch`, because LangChain accepts no other one
    globalThis.fetch = (input, init) =>
      String(input instanceof Request ? input.url : input).includes("googleapis.com")
        ? answer(input, init)
        : fetch(input, init);
    const model = new ChatGoogleGenerativeAI({ model: "gemini-2.5-pro", apiKey: "none", maxRetries: 0 });
    const bound = model.bindTools(tools);
    /** @type {any[]} */
    const messages = [["human", "Mark my PDF."]];
    for (;;) {
      const said = await bound.invoke(messages);
      messages.push(said);
      if (!said.tool_calls?.length) break;
      for (const call of said.tool_calls) messages.push(await answerTo(tools, call));
    }
  } finally {
    globalThis.fetch = fetch;
    await client.close();
  }
}

/**
 * Calls a tool as LangChain's agents do: an error is passed on to the model as text.
 * @param {any[]} tools @param {any} call
 */
async function answerTo(tools, call) {
  try {
    return await tools.find(({ name }) => name === call.name).invoke({ ...call, type: "tool_call" });
  } catch (error) {
    return { role: "tool", content: String(error), tool_call_id: call.id ?? call.name, name: call.name };
  }
}

/** Lists and calls the tools with mcporter. @param {string} url the MCP endpoint */
function withMcporter(url) {
  return inHome(async (home) => {
    const mcporter = (/** @type {string[]} */ ...words) => runIn({ HOME: home }, "mcporter", words);
    const call = ({ name, arguments: fields }) =>
      mcporter("call", `${url}.${name}`, "--allow-http", "--args", JSON.stringify(fields)).catch(
        ({ stdout }) => stdout,
      );
    const listed = (await mcporter("list", url, "--allow-http", "--all-parameters")).matchAll(/^ {2}function (\w+)/gm);
    const uploaded = JSON.parse(await call(UPLOAD));
    return { listed: Array.from(listed, ([, name = ""]) => name), uploaded, terms: await call(UNPAID) };
  });
}

/** Lists and calls the tools with the command line of the MCP Inspector. @param {string} url the MCP endpoint */
function withInspector(url) {
  return inHome(async (home) => {
    const inspect = (/** @type {string[]} */ ...words) =>
      runIn({ HOME: home }, "mcp-inspector", ["--cli", url, "--transport", "http", "--method", ...words]).catch(
        ({ stdout }) => stdout,
      );
    const call = ({ name, arguments: fields }) => {
      const words = Object.entries(fields).flatMap(([field, value]) => ["--tool-arg", `${field}=${value}`]);
      return inspect("tools/call", "--tool-name", name, ...words);
    };
    const { tools } = JSON.parse(await inspect("tools/list"));
    const { structuredContent: uploaded } = JSON.parse(await call(UPLOAD));
    return { listed: tools.map(({ name }) => name), uploaded, terms: await call(UNPAID) };
  });
}

/** Lists and calls the HTTP endpoints with the program agentcash. @param {URL} origin */
function withAgentcash(origin) {
  return inHome(async (home) => {
    const agentcash = async (/** @type {string[]} */ ...words) =>
      JSON.parse(await runIn({ HOME: home }, "agentcash", [...words, "--yes"])).data;
    const post = (/** @type {object} */ body) => [
      "-m",
      "POST",
      "-b",
      JSON.stringify(body),
      "-H",
      "Content-Type: application/json",
    ];
    const { endpoints } = await agentcash("discover", origin.origin);
    const uploaded = await agentcash("fetch", new URL("/v1/uploads", origin).href, ...post(UPLOAD.arguments));
    const terms = JSON.stringify(await agentcash("check", new URL("/v1/watermark/text", origin).href));
    return { listed: endpoints.map(({ path }) => path), uploaded, terms };
  });
}

const atMcp =
  (/** @type {(url: string) => Promise<import("./proofs.mjs").Answers>} */ use) => (/** @type {URL} */ origin) =>
    use(new URL("/mcp", origin).href);

/**
 * Functions by client name. Each function runs one client that has no wallet, and returns the answers that the client
 * received. @type {Record<string, (origin: URL) => Promise<import("./proofs.mjs").Answers>>}
 */
export const HOSTS = {
  agentcash: withAgentcash,
  "MCP Inspector": atMcp(withInspector),
  mcporter: atMcp(withMcporter),
  "AI SDK": atMcp(withAiSdk),
  "OpenAI Agents": atMcp(withOpenAiAgents),
  LangChain: atMcp(withLangChain),
};
