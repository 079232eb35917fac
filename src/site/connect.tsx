import type { OperatorLinks } from "../settings/config.ts";
import { Document } from "./document.tsx";
import { Footer, Masthead } from "./frame.tsx";
import { Prose } from "./prose.tsx";

/** The facts that the page about the MCP server shows. */
export interface ConnectFacts {
  /** URL of the MCP endpoint. */
  endpoint: string;
  /** The price of a call, such as `0.05 USDC`. */
  price: string;
  tools: { name: string; summary: string; isFree: boolean }[];
  links: OperatorLinks;
}

/** Instructions for connecting one MCP host. */
interface Host {
  id: string;
  name: string;
  /** The place where the user enters the code. Text between backquotes is shown as code. */
  where: string;
  code(endpoint: string): string;
}

const json = (value: object) => JSON.stringify(value, null, 2);

/** The hosts in display order. */
const HOSTS: readonly Host[] = [
  {
    id: "claude",
    name: "Claude",
    where: "In Settings, Connectors, choose Add custom connector, and paste this URL:",
    code: (endpoint) => endpoint,
  },
  {
    id: "claude-code",
    name: "Claude Code",
    where: "Run this command:",
    code: (endpoint) => `claude mcp add --transport http overprint ${endpoint}`,
  },
  {
    id: "chatgpt",
    name: "ChatGPT",
    where:
      "In Settings, Apps & Connectors, Advanced settings, turn on Developer mode. Then create a connector with this URL:",
    code: (endpoint) => endpoint,
  },
  {
    id: "cursor",
    name: "Cursor",
    where: "In `.cursor/mcp.json` of a project, or `~/.cursor/mcp.json` for all:",
    code: (endpoint) => json({ mcpServers: { overprint: { url: endpoint } } }),
  },
  {
    id: "vscode",
    name: "VS Code",
    where: "In `.vscode/mcp.json`:",
    code: (endpoint) => json({ servers: { overprint: { type: "http", url: endpoint } } }),
  },
  {
    id: "codex",
    name: "Codex",
    where: "In `~/.codex/config.toml`:",
    code: (endpoint) => `[mcp_servers.overprint]\nurl = "${endpoint}"`,
  },
];

/** The page that a browser gets at the MCP endpoint. `web/connect.ts` is its client script. */
export function Connect({ endpoint, price, tools, links }: ConnectFacts) {
  return (
    <Document
      title="Overprint: MCP server"
      description={`Connect an agent to the MCP server that puts watermarks on PDFs for ${price} per call.`}
      styles="reading"
      script="/assets/connect.js"
    >
      <Masthead />
      <main class="reference connect">
        <header>
          <h1>MCP server</h1>
          <p class="lead">
            This address is for agents. Connect one, and it can put a text or an image on every page of a PDF, for{" "}
            {price} per call, paid with x402. The agent needs no account and no API key.
          </p>
          <dl class="facts">
            <dt>Endpoint</dt>
            <dd>
              <code>{endpoint}</code>
            </dd>
            <dt>Transport</dt>
            <dd>streamable HTTP</dd>
          </dl>
        </header>
        <div class="operations">
          <p id="copied" class="unseen" role="status" />
          {HOSTS.map(({ id, name, where, code }) => (
            <section aria-labelledby={`${id}-title`}>
              <h2 id={`${id}-title`}>{name}</h2>
              <p>
                <Prose text={where} />
              </p>
              <div class="code">
                <pre id={id} tabindex={0}>
                  <code>{code(endpoint)}</code>
                </pre>
                <button type="button" class="copy" data-copies={id} aria-label={`Copy the text for ${name}`}>
                  Copy
                </button>
              </div>
            </section>
          ))}
          <section aria-labelledby="tools-title">
            <h2 id="tools-title">Tools</h2>
            <dl class="facts">
              {tools.map(({ name, summary, isFree }) => (
                <>
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd>
                    {summary}. {isFree ? "Free." : `Costs ${price}.`}
                  </dd>
                </>
              ))}
            </dl>
            <p>
              A call without a payment returns the terms and charges nothing. An agent without a wallet calls{" "}
              <code>request_payment_link</code>, and a person pays on that page.
            </p>
          </section>
        </div>
      </main>
      <Footer links={links} />
    </Document>
  );
}
