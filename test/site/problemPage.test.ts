import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/app.ts";
import { urlOf } from "../../src/storage/link.ts";
import { type StoredResult, storeResult } from "../../src/storage/results.ts";
import { ORIGIN, send, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";
import { bucket } from "../support/storage.ts";

/** The `Accept` header that Chromium and Firefox send for a page. */
const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8" };

function stored(ttlSeconds = 3600): Promise<StoredResult> {
  const pdf = {
    length: onePage.length,
    async *chunks() {
      yield onePage;
    },
  };
  return storeResult(bucket, pdf, { filename: "a.pdf", ttlSeconds });
}

const expired = async () => urlOf(ORIGIN, await stored(-1));
const revoked = async () => {
  const url = urlOf(ORIGIN, await stored());
  await send(url, { method: "DELETE" });
  return url;
};
const wrongToken = async () => urlOf(ORIGIN, { ...(await stored()), token: "0" });

const CASES: [string, () => Promise<string> | string, number, string, RegExp][] = [
  ["an unknown address", () => "/nowhere", 404, "not_found", /This page/],
  ["a missing asset", () => "/assets/nothing.css", 404, "not_found", /This page/],
  [
    "a link to a file that does not exist",
    () => "/v1/files/nothing.pdf?token=0",
    404,
    "file_not_found",
    /No file belongs/,
  ],
  ["a link with a wrong token", wrongToken, 403, "invalid_token", /Open the complete link/],
  ["an expired link", expired, 410, "link_expired", /for a new link/],
  ["a revoked link", revoked, 410, "link_expired", /for a new link/],
  ["an operation's address", () => TEXT, 405, "method_not_allowed", /For programs/],
];

describe.each(CASES)("%s", (_, addressOf, status, code, words) => {
  test("the problem page says what happened and what to do", async () => {
    const address = await addressOf();
    const response = await send(address, { headers: BROWSER });
    const { headers } = response;
    expect([response.status, headers.get("Content-Type")]).toEqual([status, "text/html; charset=UTF-8"]);
    expect([headers.get("Cache-Control"), headers.get("X-Robots-Tag")]).toEqual(["no-store", "noindex"]);
    expect([headers.get("Vary"), headers.get("Cross-Origin-Opener-Policy")]).toEqual(["Accept", "same-origin"]);
    const html = await response.text();
    expect(html).toMatch(words);
    expect(html).toContain(`${status} ${code}`);
    expect(html).toContain(headers.get("X-Request-Id"));
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    // The page must not repeat any part of the address, because the address may contain a token.
    for (const part of address
      .replace(ORIGIN, "")
      .split(/[/?=]/)
      .filter((text) => text.length > 4 && text !== "token"))
      if (!["watermark", "assets", "files"].includes(part)) expect(html).not.toContain(part);
  });

  test.each([undefined, "*/*", "application/json", "application/problem+json", "application/json, text/html;q=0.9"])(
    "a client that does not prefer HTML gets the problem as JSON: Accept %s",
    async (accept) => {
      const response = await send(await addressOf(), accept === undefined ? {} : { headers: { Accept: accept } });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([status, "application/problem+json"]);
      expect(response.headers.get("Vary")).toBe("Accept");
      expect(await response.json()).toMatchObject({ status, code });
    },
  );
});

test("the problem page works without scripts, and the service has all pictures and styles of the page", async () => {
  const response = await send("/nowhere", { headers: BROWSER });
  const policy = response.headers.get("Content-Security-Policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/script|unsafe|http|\*/);
  const html = await response.text();
  expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  const loaded = Array.from(html.matchAll(/<(?:img|link)\s[^>]*?(?:src|href)="([^"]+)"/g), ([, url]) => url!);
  expect(loaded).toHaveLength(3);
  for (const url of loaded) expect([url, (await send(url)).status]).toEqual([url, 200]);
});

test("a failed POST returns JSON even if the client accepts HTML", async () => {
  const response = await send("/nowhere", { method: "POST", headers: BROWSER });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "application/problem+json"]);
});

test("HEAD of the problem page returns its headers without a body", async () => {
  const response = await send("/nowhere", { method: "HEAD", headers: BROWSER });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
  expect(await response.text()).toBe("");
});

test("the problem page is the same for an almost correct, a wrong or a missing token", async () => {
  const { id, token } = await stored();
  const pages = [token.slice(0, -1), `${token.slice(0, -1)}x`, "0", "", undefined].map(async (wrong) => {
    const response = await send(`/v1/files/${id}.pdf${wrong === undefined ? "" : `?token=${wrong}`}`, {
      headers: { ...BROWSER, "X-Request-Id": "same" },
    });
    return [response.status, Object.fromEntries(response.headers), await response.text()];
  });
  const [first, ...others] = await Promise.all(pages);
  for (const other of others) expect(other).toEqual(first);
});

test("the problem page formats code in the problem's detail and keeps the response headers", async () => {
  const asked = await send("/v1/purchases", { headers: BROWSER });
  expect([asked.status, asked.headers.has("PAYMENT-REQUIRED")]).toEqual([402, true]);
  expect(await asked.text()).toContain("A sign-in with the paying key is required");

  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const context = createExecutionContext();
  const request = new Request(await expired(), { headers: BROWSER });
  const broken = await app.fetch(request, { ...env, RESULTS: {} }, context);
  await waitOnExecutionContext(context);
  log.mockRestore();
  expect(broken.status).toBe(500);
  expect(await broken.text()).toContain("quote <code>request_id</code>.");
});

test("the problem page of a misconfigured deployment does not show the settings", async () => {
  const context = createExecutionContext();
  const request = new Request(`${ORIGIN}/`, { headers: BROWSER });
  const response = await app.fetch(request, { ...env, NETWORKS: "no-such-chain" }, context);
  await waitOnExecutionContext(context);
  expect(response.status).toBe(503);
  const html = await response.text();
  expect(html).toContain("503 not_configured");
  expect(html).not.toContain("no-such-chain");
});
