/** The clients of `npm run check:clients`. This file imports no package, so that a test can compare it with the docs. */

/**
 * Abilities of a client: list the tools or endpoints, make a free call (an upload), see the terms of a paid call, and
 * buy a result.
 */
export const ABILITIES = ["list", "free", "terms", "buy"] as const;
type Ability = (typeof ABILITIES)[number];

/** A client, and its abilities with this service. */
export interface KnownClient {
  name: string;
  /** Package that contains the client. Its version is pinned here or in the project's package.json. */
  package: string;
  can: readonly Ability[];
  /** Reason why the client lacks the abilities that `can` does not list. */
  reason?: string;
}

const NO_WALLET = "The client has no wallet.";
const NO_LIST = "The client sends HTTP requests to a given URL, and cannot list tools.";
const BUYS: readonly Ability[] = ["free", "terms", "buy"];

export const CLIENTS: readonly KnownClient[] = [
  { name: "x402-fetch", package: "x402-fetch", can: BUYS, reason: NO_LIST },
  { name: "@x402/fetch", package: "@x402/fetch", can: BUYS, reason: NO_LIST },
  { name: "@x402/axios", package: "@x402/axios", can: BUYS, reason: NO_LIST },
  { name: "@faremeter/fetch", package: "@faremeter/fetch", can: BUYS, reason: NO_LIST },
  { name: "mppx with x402", package: "mppx", can: BUYS, reason: NO_LIST },
  { name: "mppx with MPP", package: "mppx", can: BUYS, reason: NO_LIST },
  {
    name: "agentcash",
    package: "agentcash",
    can: ["list", "free", "terms"],
    reason: "The client pays on Base, Solana and Tempo, and this check has only test money on Base Sepolia.",
  },
  { name: "agents (Cloudflare)", package: "agents", can: ABILITIES },
  { name: "@apify/mcpc", package: "@apify/mcpc", can: ABILITIES },
  { name: "mcp-remote", package: "mcp-remote", can: ABILITIES },
  {
    name: "MCP Inspector",
    package: "@modelcontextprotocol/inspector",
    can: ["list", "free", "terms"],
    reason: NO_WALLET,
  },
  { name: "mcporter", package: "mcporter", can: ["list", "free", "terms"], reason: NO_WALLET },
  { name: "AI SDK", package: "ai", can: ["list", "free", "terms"], reason: NO_WALLET },
  { name: "OpenAI Agents", package: "@openai/agents", can: ["list", "free", "terms"], reason: NO_WALLET },
  { name: "LangChain", package: "@langchain/mcp-adapters", can: ["list", "free", "terms"], reason: NO_WALLET },
];
