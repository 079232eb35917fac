import { describe, expect, test } from "vitest";
import { refuseForeign } from "../../src/mcp/hosts.ts";
import { readConfig } from "../../src/settings/config.ts";

const development = readConfig({});
const REAL = { PAY_TO: "0x00000000000000000000000000000000000000aa", FACILITATOR_URL: "https://f.example.com" };
const deployed = readConfig(REAL);
const listing = readConfig({ ...REAL, ALLOWED_HOSTS: "pdf.example.com,app.example.com" });

const LOCAL = "http://127.0.0.1:8787";
const OURS = "https://pdf.example.com";
const near = { "CF-Connecting-IP": "127.0.0.1" };
const far = { "CF-Connecting-IP": "203.0.113.9" };

describe("a request to /mcp", () => {
  test.each([
    ["on this machine", development, LOCAL, near],
    ["to this machine by name", development, "http://localhost:8787", near],
    ["to this machine, from a local page", development, LOCAL, { ...near, Origin: "http://localhost:6274" }],
    ["to a deployment", deployed, OURS, far],
    ["to a deployment, from its own page", deployed, OURS, { ...far, Origin: OURS }],
    ["to an allowed host", listing, OURS, far],
    [
      "to an allowed host, from a page of another allowed host",
      listing,
      OURS,
      { ...far, Origin: "https://app.example.com" },
    ],
    ["to this machine, with ALLOWED_HOSTS set", listing, LOCAL, near],
  ])("the MCP endpoint allows a request %s", (_, config, url, headers) => {
    expect(refuse(config, url, headers)).toBeUndefined();
  });

  test.each([
    ["to this machine by DNS rebinding", development, "http://evil.example.com:8787", near],
    ["from a remote address by DNS rebinding", development, "http://evil.example.com:8787", far],
    ["to this machine, from a foreign page", development, LOCAL, { ...near, Origin: "https://evil.example.com" }],
    ["to this machine, from a page without an origin", development, LOCAL, { ...near, Origin: "null" }],
    ["from another machine to a loopback name", development, LOCAL, far],
    ["to a deployment, from a foreign page", deployed, OURS, { ...far, Origin: "https://evil.example.com" }],
    ["to a host outside ALLOWED_HOSTS", listing, "https://overprint.example.workers.dev", far],
    ["to an allowed host, from a foreign page", listing, OURS, { ...far, Origin: "https://evil.example.com" }],
  ])("the MCP endpoint rejects a request %s", async (_, config, url, headers) => {
    const refused = refuse(config, url, headers);
    expect(refused?.status).toBe(403);
    expect(await refused?.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } });
  });
});

function refuse(config: typeof development, url: string, headers: Record<string, string>): Response | undefined {
  const request = new Request(`${url}/mcp`, { method: "POST", headers: { Host: new URL(url).host, ...headers } });
  return refuseForeign(request, config);
}
