/**
 * Chat application for tests of MCP Apps views. An MCP client is connected to the Worker, and a page uses the official
 * library for hosts.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  getToolUiResourceUri,
  type McpUiHostContext,
  type McpUiResourceMeta,
  RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { paymentFor } from "../../scripts/lib/pay.ts";

/** Properties of the chat host that shows a view. */
interface Showing {
  /**
   * Kind of host. An application shows the view in a frame with an opaque origin. A web page shows it in a frame inside
   * another frame ("Sandbox proxy").
   */
  host?: "application" | "page";
  context?: McpUiHostContext;
  /** Capabilities that the host denies. */
  denies?: "everything" | "connections" | "links";
  /** Whether the host lets the frame start workers. Views cannot request this permission. */
  workers?: boolean;
  browser?: BrowserContextOptions;
}

/** An open chat view. */
export interface OpenView {
  page: Page;
  view: Frame;
  /** Sends a notification to the view. `method` is the name of a method of `AppBridge`. */
  tell(
    method: "sendToolInput" | "sendToolResult" | "sendToolCancelled" | "setHostContext",
    params: object,
  ): Promise<void>;
  /** Returns the links that the host was asked to open. */
  opened(): Promise<string[]>;
  /**
   * Violations of the Content-Security-Policy, errors, and requests to hosts other than the chat application and the
   * Worker.
   */
  complaints: string[];
}

const HOST = `
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
globalThis.opened = [];
globalThis.show = async (address, { html, sandbox, context, opensLinks }) => {
  const frame = document.querySelector("iframe");
  frame.setAttribute("sandbox", sandbox);
  const capabilities = opensLinks ? { openLinks: {} } : {};
  globalThis.bridge = new AppBridge(null, { name: "chat", version: "1.0.0" }, capabilities, { hostContext: context });
  if (opensLinks)
    bridge.onopenlink = async ({ url }) => {
      opened.push(url);
      return {};
    };
  bridge.addEventListener("sandboxready", () => bridge.sendSandboxResourceReady({ html }));
  bridge.addEventListener("sizechange", ({ height }) => {
    frame.style.height = height + "px";
  });
  const ready = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = address;
  await ready;
};`;
/** HTML of the outer frame if the chat host is a web page. The outer frame contains the frame of the view. */
const PROXY = `<!doctype html>
<html lang="en">
  <title>A sandbox</title>
  <body style="margin: 0">
    <iframe title="View" sandbox="allow-scripts allow-same-origin"
      style="display: block; width: 100%; height: 100vh; border: 0"></iframe>
    <script>
      const inner = document.querySelector("iframe");
      addEventListener("message", ({ source, data }) => {
        if (source === inner.contentWindow) parent.postMessage(data, "*");
        else if (data.method === "ui/notifications/sandbox-resource-ready") inner.srcdoc = data.params.html;
        else inner.contentWindow.postMessage(data, "*");
      });
      parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
    </script>
  </body>
</html>`;
const PAGE = `<!doctype html>
<html lang="en">
  <title>A chat</title>
  <link rel="icon" href="data:,">
  <iframe title="View" style="display: block; width: 100%; height: 60px; border: 0"></iframe>
  <script type="module" src="/host.js"></script>
</html>`;

/**
 * Returns the Content-Security-Policy that a host derives from the view's requests (MCP Apps, "Content Security Policy
 * Enforcement").
 */
function policyFor({ csp }: McpUiResourceMeta, { denies, workers }: Showing): string {
  if (denies === "everything") return "default-src 'none'";
  const connections = denies === "connections" ? "'none'" : `'self' ${csp?.connectDomains?.join(" ") ?? ""}`;
  const resources = csp?.resourceDomains?.join(" ") ?? "";
  return `default-src 'none'; script-src 'self' 'unsafe-inline' ${resources};
    style-src 'self' 'unsafe-inline' ${resources}; connect-src ${connections};
    img-src 'self' data: ${resources}; font-src 'self' ${resources}; media-src 'self' data: ${resources};
    frame-src 'none'; object-src 'none'; base-uri 'self'; ${workers ? "worker-src blob:" : ""}`.replaceAll(/\s+/g, " ");
}

/** Starts a chat application whose MCP client is connected to the Worker at `url`. */
export async function startChat(url: string) {
  const client = new Client(
    { name: "chat", version: "1.0.0" },
    {
      versionNegotiation: { mode: "auto" },
      capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  const { tools } = await client.listTools();
  const uri = getToolUiResourceUri(tools[0]!)!;
  const { contents } = await client.readResource({ uri });
  const { text, _meta } = contents[0] as unknown as { text: string; _meta: { ui: McpUiResourceMeta } };
  const built = await build({
    stdin: { contents: HOST, resolveDir: import.meta.dirname },
    bundle: true,
    format: "esm",
    write: false,
  });

  /** HTML documents of the frames, with their policies, by path. */
  const frames = new Map<string, { document: string; policy: string }>();
  const server = createServer(({ url: path = "/" }, response) => {
    const frame = frames.get(path);
    if (frame)
      response
        .writeHead(200, { "Content-Type": "text/html", "Content-Security-Policy": frame.policy })
        .end(frame.document);
    else if (path === "/host.js")
      response.writeHead(200, { "Content-Type": "text/javascript" }).end(built.outputFiles[0]!.text);
    else if (path === "/") response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // The chat page and its frames need different origins.
  const [chat, sandboxes] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];

  return {
    /** Calls the tool `add_text_watermark`, with a payment by default. */
    async call(fields: Record<string, unknown>, paid = true): Promise<CallToolResult> {
      const payment = paid ? await paymentFor(`${url}/v1/watermark/text`) : undefined;
      return client.callTool({
        name: "add_text_watermark",
        arguments: fields,
        ...(payment && { _meta: { "x402/payment": payment } }),
      }) as Promise<CallToolResult>;
    },
    /** Opens the chat view in a new page and passes the view to `use`. */
    async show(browser: Browser, use: (open: OpenView) => Promise<void>, showing: Showing = {}): Promise<void> {
      const { host = "application", context: hostContext, denies } = showing;
      const path = `/frame/${frames.size}`;
      const isPage = host === "page";
      frames.set(path, { document: isPage ? PROXY : text, policy: policyFor(_meta.ui, showing) });
      const context = await browser.newContext(showing.browser);
      try {
        const complaints: string[] = [];
        context.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
        });
        context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`));
        context.on("request", (request) => {
          const isOurs = [url, chat, sandboxes].some((origin) =>
            request
              .url()
              .replace(/^blob:/, "")
              .startsWith(`${origin}/`),
          );
          if (!isOurs) complaints.push(`request: ${request.url()}`);
        });
        const page = await context.newPage();
        await page.goto(`${chat}/`);
        const options = {
          html: text,
          sandbox: isPage ? "allow-scripts allow-same-origin" : "allow-scripts",
          context: hostContext,
          opensLinks: denies !== "links",
        };
        const loaded = page.waitForEvent("framenavigated", (frame) => frame.url().endsWith(path));
        const shown = page.evaluate(`show("${sandboxes}${path}", ${JSON.stringify(options)})`).catch(() => undefined);
        await (denies === "everything" ? loaded : shown);
        const view = page.frames().at(-1)!; // The view is the innermost frame.
        await use({
          page,
          view,
          tell: async (method, params) => void (await page.evaluate(`bridge.${method}(${JSON.stringify(params)})`)),
          opened: () => page.evaluate("opened") as Promise<string[]>,
          complaints,
        });
      } finally {
        await context.close();
      }
    },
    async stop(): Promise<void> {
      await client.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
