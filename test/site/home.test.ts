import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { app } from "../../src/app.ts";
import { IMAGE_POSITIONS, TEMPLATES } from "../../src/engine/index.ts";
import { DEVELOPMENT_KEY } from "../../src/payments/facilitators/localFacilitator.ts";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { serveAsset } from "../../src/site/assets.ts";
import { pagePolicy } from "../../src/site/policies.ts";
import { send } from "../support/client.ts";

/** The `Accept` header that Chromium and Firefox send for a page. */
const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8" };

async function page(): Promise<string> {
  return (await send("/", { headers: BROWSER })).text();
}

describe("GET /", () => {
  test("the text form of the home page lists rotation, font_size and color in this order", async () => {
    const ids = Array.from((await page()).matchAll(/ id="text-(rotation|font_size|color)"/g), ([, name]) => name);
    expect(ids).toEqual(["rotation", "font_size", "color"]);
  });

  test("GET / returns the home page to browsers and the guide to other clients", async () => {
    const html = await send("/", { headers: BROWSER });
    expect([html.status, html.headers.get("Content-Type"), html.headers.get("Vary")]).toEqual([
      200,
      "text/html; charset=UTF-8",
      "Accept",
    ]);
    expect(await html.text()).toMatch(/^<!doctype html><html lang="en">/);

    for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }]) {
      const guide = await send("/", { headers });
      expect([guide.status, guide.headers.get("Content-Type")]).toEqual([200, "text/plain; charset=UTF-8"]);
      expect(await guide.text()).toMatch(/^# Overprint/);
    }
    expect((await send("/", { method: "POST" })).status).toBe(405);
  });

  test("GET / shows the deployment's price and every template", async () => {
    const context = createExecutionContext();
    const request = new Request("http://localhost/", { headers: BROWSER });
    const dear = await app.fetch(request, { ...env, PRICE: "0.25" }, context);
    await waitOnExecutionContext(context);
    const html = await dear.text();
    expect(html).toContain("0.25 USDC");
    expect(html).not.toContain("0.05 USDC");
    for (const [name, { description }] of Object.entries(TEMPLATES)) {
      expect(html).toContain(`<code>${name}</code>`);
      expect(html).toContain(description);
    }
  });

  describe.each(PRODUCTS.map((product) => [product.operation, product] as const))(
    "the home page's controls for %s",
    (operation, { schemas }) => {
      const kind = operation.replace("watermark.", "");
      const controls = async () => (await page()).split(`data-operation="${kind}"`)[1]!.split("</form>")[0]!;
      const { shape } = schemas.json;

      test("the home page has a control for each field of a request", async () => {
        const named = new Set(Array.from((await controls()).matchAll(/ name="(\w+)"/g), ([, name]) => name));
        expect(["file", ...named].sort()).toEqual(Object.keys(shape).sort());
      });

      test("the home page's controls offer only valid choices and select the defaults", async () => {
        const choices = Array.from(
          (await controls()).matchAll(/type="radio" name="(\w+)" value="([\w-]*)"( checked)?/g),
          ([, name, value, checked]) => ({ name: name!, value: value || undefined, checked }),
        );
        expect(choices.length).toBeGreaterThanOrEqual(IMAGE_POSITIONS.length);
        for (const { name, value, checked } of choices) {
          const taken = (shape[name] as z.ZodType).safeParse(value);
          expect(taken, `${name}: ${value}`).toMatchObject({ success: true });
          if (checked) expect(value).toBe((shape[name] as z.ZodType).parse(undefined));
        }
      });
    },
  );

  test("the home page's position chooser shows the nine positions in reading order", async () => {
    const sheets = Array.from((await page()).matchAll(/class="sheet-of-spots">(.*?)<\/div>/g), ([, sheet]) => sheet!);
    expect(sheets).toHaveLength(PRODUCTS.length);
    for (const sheet of sheets)
      expect(Array.from(sheet.matchAll(/value="([\w-]+)"/g), ([, name]) => name)).toEqual([
        ...["top-left", "top", "top-right"],
        ...["left", "center", "right"],
        ...["bottom-left", "bottom", "bottom-right"],
      ]);
  });

  test("the home page contains the development key only on loopback without a facilitator", async () => {
    const shown = async (url: string, settings: object = {}) => {
      const context = createExecutionContext();
      const response = await app.fetch(new Request(url, { headers: BROWSER }), { ...env, ...settings }, context);
      await waitOnExecutionContext(context);
      return (await response.text()).includes(DEVELOPMENT_KEY);
    };
    const connected = { FACILITATOR_URL: "https://facilitator.example", PAY_TO: `0x${"c0".repeat(20)}` };
    expect(await shown("http://localhost/")).toBe(true);
    expect(await shown("http://localhost/", connected)).toBe(false);
    expect(await shown("https://pdf.example.com/")).toBe(false);
    const client = await (await send("/assets/playground.js")).text();
    expect(client).not.toContain(DEVELOPMENT_KEY.slice(2));
  });

  test("the home page links to REPOSITORY_URL if it is a web URL", async () => {
    const served = async (REPOSITORY_URL: string) => {
      const context = createExecutionContext();
      const request = new Request("http://localhost/", { headers: BROWSER });
      const response = await app.fetch(request, { ...env, REPOSITORY_URL }, context);
      await waitOnExecutionContext(context);
      return response;
    };
    expect(await page()).not.toContain(">Source</a>");
    expect(await (await served("https://example.com/source")).text()).toContain('href="https://example.com/source"');
    const wrong = await served("javascript:alert(1)"); // an invalid REPOSITORY_URL does not stop sales
    expect(wrong.status).toBe(200);
    expect(await wrong.text()).not.toMatch(/javascript:|>Source<\/a>/);
  });

  test("the home page's CSP allows no other origin, no inline code and no evaluation of strings as code", async () => {
    const response = await send("/", { headers: BROWSER });
    const policy = response.headers.get("Content-Security-Policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(pagePolicy("files.example.com")).toContain("connect-src 'self' https://files.example.com;");
    const html = await response.text();
    expect(html).not.toMatch(/ style="| on\w+="|<style|<script(?! type="module" src="\/)/);
    expect(html).not.toMatch(/(?:src|href)="https?:/);
  });
});

describe("the home page's pictures", () => {
  test("the service has all pictures of the home page, one per template (`npm run draw-pictures` draws them)", async () => {
    const sources = new Set(Array.from((await page()).matchAll(/<img src="(\/[^"]*)"/g), ([, source]) => source!));
    for (const name of Object.keys(TEMPLATES)) expect(sources).toContain(`/assets/pictures/template-${name}.webp`);
    for (const source of sources) expect([source, (await send(source)).status]).toEqual([source, 200]);
  });
});

describe("static assets", () => {
  test("the service serves files under /assets and /fonts, with a separate Content-Security-Policy for scripts", async () => {
    const script = await send("/assets/playground.js");
    expect([script.status, script.headers.get("Content-Type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(script.headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    );
    expect(script.headers.get("Cache-Control")).toContain("must-revalidate");
    await script.body?.cancel();

    const font = await send("/fonts/noto-sans-bold.ttf");
    expect(font.status).toBe(200);
    await font.body?.cancel();
  });

  test("assets with a content hash in their names are cached forever", async () => {
    // The test serves a fake file, because a concurrent build may replace the real files.
    const assets = { fetch: async () => new Response("") } as unknown as Fetcher;
    const cached = async (path: string) => {
      const served = await serveAsset(new Request(`http://localhost/assets/${path}`), assets);
      return served.headers.get("Cache-Control");
    };
    expect(await cached("files/preview-JFSOYZS7.js")).toBe("public, max-age=31536000, immutable");
    expect(await cached("preview.js")).toBe(null);
  });

  test("a request for a missing asset returns a 404 problem", async () => {
    const missing = await send("/assets/no-such-file.js");
    expect([missing.status, (await missing.json<{ code: string }>()).code]).toEqual([404, "not_found"]);
  });
});
