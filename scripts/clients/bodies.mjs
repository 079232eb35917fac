import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { createGoogleGenerativeAI as createGoogleOfAiSdk6 } from "ai-sdk-6-google";
import { runLangChain, runOpenAiAgent } from "./hosts.mjs";
import { runIn } from "./program.mjs";
import { stubModel } from "./stubModel.mjs";

/**
 * Request bodies that unmodified hosts send to model APIs. The hosts build them from the list of tools. The folder
 * `bodies/` contains recorded bodies.
 */

const FOLDER = join(import.meta.dirname, "bodies");

/**
 * Returns the `tools` of the request that the AI SDK sends to a model's API.
 * @param {"openai" | "gemini" | "anthropic"} api
 * @param {(fetch: typeof globalThis.fetch) => import("ai").LanguageModel} modelWith
 */
const fromAiSdk = (api, modelWith) => async (/** @type {string} */ url) => {
  const { fetch, bodies } = stubModel(api);
  const client = await createMCPClient({ transport: { type: "http", url } });
  try {
    await generateText({ model: modelWith(fetch), tools: await client.tools(), prompt: "Mark my PDF.", maxRetries: 0 });
  } finally {
    await client.close();
  }
  return bodies[0].tools;
};

/**
 * Returns the `tools` of the request that a host sends to a model's API.
 * @param {"openai" | "gemini"} api
 * @param {(url: string, fetch: typeof globalThis.fetch) => Promise<void>} run
 */
const from = (api, run) => async (/** @type {string} */ url) => {
  const { fetch, bodies } = stubModel(api);
  await run(url, fetch);
  return bodies[0].tools;
};

/** Functions that build the request bodies, by the name of the recorded file. */
const BODIES = {
  "gemini-ai-sdk": fromAiSdk("gemini", (fetch) =>
    createGoogleGenerativeAI({ apiKey: "none", fetch })("gemini-2.5-pro"),
  ),
  "gemini-ai-sdk-6": fromAiSdk("gemini", (fetch) => createGoogleOfAiSdk6({ apiKey: "none", fetch })("gemini-2.5-pro")),
  "gemini-langchain": from("gemini", runLangChain),
  "openai-ai-sdk": fromAiSdk("openai", (fetch) => createOpenAI({ apiKey: "none", fetch })("gpt-5")),
  "openai-agents-strict": from("openai", runOpenAiAgent),
  "anthropic-ai-sdk": fromAiSdk("anthropic", (fetch) =>
    createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5"),
  ),
  // mcporter shows the signatures of the tools to a model instead of their schemas
  mcporter: async (/** @type {string} */ url) => {
    const listing = await runIn({}, "mcporter", ["list", url, "--allow-http", "--all-parameters"]);
    return Array.from(listing.matchAll(/^ {2}(function .*)$/gm), ([, signature]) => signature);
  },
};

/**
 * Compares the request bodies with the recorded ones, and returns the names of those that differ.
 * @param {URL} origin
 * @param {boolean} isUpdate whether to record the bodies instead of comparing them
 */
export async function changedBodies(origin, isUpdate) {
  const changed = [];
  await mkdir(FOLDER, { recursive: true });
  for (const [name, build] of Object.entries(BODIES)) {
    const path = join(FOLDER, `${name}.json`);
    const built = `${JSON.stringify(await build(new URL("/mcp", origin).href), null, 2)}\n`;
    if (isUpdate) await writeFile(path, built);
    else if (built !== (await readFile(path, "utf8").catch(() => undefined))) changed.push(name);
  }
  return changed;
}
