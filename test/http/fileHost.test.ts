import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";
import { dataUri, TEXT } from "../support/client.ts";
import { onePage } from "../support/pdf.ts";

const SETTINGS = {
  FILE_HOST: "files.example.com",
  PAY_TO: `0x${"aa".repeat(20)}`,
  FACILITATOR_URL: "https://facilitator.example.com/good",
};

async function sendTo(url: string, init?: RequestInit): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(url, init), { ...env, ...SETTINGS }, context);
  await waitOnExecutionContext(context);
  return response;
}

describe("with FILE_HOST", () => {
  test("a deployment with FILE_HOST creates links that work only on that host", async () => {
    const api = `https://api.example.com${TEXT}`;
    const { accepts } = await (await sendTo(api, { method: "POST" })).json<{
      accepts: Parameters<typeof signPayment>[0][];
    }>();
    const sold = await sendTo(api, {
      method: "POST",
      headers: { "X-PAYMENT": await signPayment(accepts[0]!), "Content-Type": "application/json" },
      body: JSON.stringify({ file: dataUri("application/pdf", onePage), text: "A" }),
    });
    const { output } = await sold.json<{ output: { url: string; bytes: number } }>();
    expect(output.url).toMatch(/^https:\/\/files\.example\.com\/v1\/files\//);
    expect((await (await sendTo(output.url)).bytes()).length).toBe(output.bytes);

    const elsewhere = await sendTo(output.url.replace("files.", "api."));
    expect([elsewhere.status, (await elsewhere.json<{ code: string }>()).code]).toEqual([404, "not_found"]);
  });

  test.each([
    ["POST", TEXT],
    ["GET", "/openapi.json"],
    ["GET", "/v1/limits"],
    ["GET", "/v1/files"],
    ["GET", "/"],
  ])("the file host returns 404 for a path that is not a download link: %s %s", async (method, path) => {
    const response = await sendTo(`https://files.example.com${path}`, { method });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([404, "not_found"]);
  });

  test("the file host shows browsers an error page without scripts and links that loads only local assets", async () => {
    const headers = { Accept: "text/html" };
    const response = await sendTo("https://files.example.com/v1/files/nothing.pdf?token=0", { headers });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
    const html = await response.text();
    expect(html).not.toMatch(/<script|<a\s/);
    const loaded = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) {
      const part = await sendTo(`https://files.example.com${path}`);
      expect([path, part.status]).toEqual([path, 200]);
      await part.body?.cancel();
    }
    for (const path of ["/assets/playground.js", "/assets/site.css", "/docs", "/fonts/noto-sans-bold.ttf"])
      expect([path, (await sendTo(`https://files.example.com${path}`)).status]).toEqual([path, 404]);
  });
});
