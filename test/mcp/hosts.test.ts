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
    ["on this machine by name", development, "http://localhost:8787", near],
    ["on this machine, from a page on it", development, LOCAL, { ...near, Origin: "http://localhost:6274" }],
    ["to a deployment", deployed, OURS, far],
    ["to a deployment, from a page of its own", deployed, OURS, { ...far, Origin: OURS }],
    ["to a listed host", listing, OURS, far],
    ["to a listed host, from another's page", listing, OURS, { ...far, Origin: "https://app.example.com" }],
    ["on this machine, whatever is listed", listing, LOCAL, near],
  ])("%s passes", (_, config, url, headers) => {
    expect(refuse(config, url, headers)).toBeUndefined();
  });

  test.each([
    ["on this machine by a name that was made to point at it", development, "http://evil.example.com:8787", near],
    ["the same, claiming to come from elsewhere", development, "http://evil.example.com:8787", far],
    ["on this machine, from another's page", development, LOCAL, { ...near, Origin: "https://evil.example.com" }],
    ["from a page that hides where it is from", development, LOCAL, { ...near, Origin: "null" }],
    ["from another machine, naming this one", development, LOCAL, far],
    ["to a deployment, from another's page", deployed, OURS, { ...far, Origin: "https://evil.example.com" }],
    ["to a host that is not listed", listing, "https://overprint.example.workers.dev", far],
    ["to a listed host, from a page of none", listing, OURS, { ...far, Origin: "https://evil.example.com" }],
  ])("%s is refused", async (_, config, url, headers) => {
    const refused = refuse(config, url, headers);
    expect(refused?.status).toBe(403);
    expect(await refused?.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } });
  });
});

function refuse(config: typeof development, url: string, headers: Record<string, string>): Response | undefined {
  const request = new Request(`${url}/mcp`, { method: "POST", headers: { Host: new URL(url).host, ...headers } });
  return refuseForeign(request, config);
}
