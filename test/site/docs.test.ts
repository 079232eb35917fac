import { describe, expect, test } from "vitest";
import changelog from "../../CHANGELOG.md?raw";
import retention from "../../docs/retention.md?raw";
import { PRODUCTS } from "../../src/service/sale/products.ts";
import { PROBLEMS } from "../../src/shared/problems.ts";
import { ORIGIN, send } from "../support/client.ts";

const page = async () => (await send("/docs")).text();

describe("/docs", () => {
  test("the page /docs is readable without scripts, and its CSP allows no unsafe source and no other origin", async () => {
    const response = await send("/docs");
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ]);
    const policy = response.headers.get("Content-Security-Policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const html = await response.text();
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).not.toMatch(/<script(?! type="module" src="\/assets\/docs\.js")|<style|\sstyle=|\son\w+=/);
    const loaded = Array.from(html.matchAll(/<(?:img|link)\s[^>]*?(?:src|href)="([^"]+)"/g), ([, url]) => url!);
    expect(loaded.length).toBeGreaterThan(2);
    for (const url of loaded) expect([url, (await send(url)).status]).toEqual([url, 200]);
  });

  test("the page /docs shows every operation, field, default and error code of the OpenAPI document", async () => {
    const html = await page();
    const { paths } = await (await send("/openapi.json")).json<{ paths: Record<string, object> }>();
    for (const path of Object.keys(paths)) expect(html).toContain(`<code>${path}</code>`);
    for (const { schemas, example } of PRODUCTS) {
      for (const field of Object.keys(schemas.json.shape)) expect(html).toContain(`<code>${field}</code>`);
      const { file: _, image: __, ...fields } = example as Record<string, unknown>;
      for (const [name, value] of Object.entries(fields))
        expect(html.replaceAll(/<\/?span[^>]*>/g, "")).toContain(`${name}=${value}`);
    }
    for (const code of Object.keys(PROBLEMS)) expect(html).toContain(`<code>${code}</code>`);
    for (const shown of ["0.05 USDC", "<code>0.3</code>", "<code>watermarked.pdf</code>", "<code>bottom-right</code>"])
      expect(html).toContain(shown);
    expect(html).toContain(`${ORIGIN}/mcp`);
    expect(html).not.toMatch(/undefined|\[object/);
  });

  test("every internal link of the page /docs points to a unique element", async () => {
    const html = await page();
    const ids = Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const links = Array.from(html.matchAll(/href="#([^"]+)"/g), ([, id]) => id!);
    expect(links.length).toBeGreaterThan(7);
    for (const id of links) expect(ids).toContain(id);
  });

  test("every example of the page /docs has a unique label", async () => {
    const labels = Array.from(
      (await page()).matchAll(/<section class="code" aria-label="([^"]+)"/g),
      ([, label]) => label!,
    );
    expect(labels.length).toBeGreaterThan(9);
    expect(new Set(labels).size).toBe(labels.length);
  });

  test("the home page links to /docs, and /docs links to the machine-readable descriptions", async () => {
    const html = await page();
    for (const path of ["/", "/openapi.json", "/llms.txt"])
      expect(html).toContain(`<a ${path === "/" ? 'class="wordmark" ' : ""}href="${path}"`);
    const front = await send("/", { headers: { Accept: "text/html" } });
    expect(await front.text()).toContain('<a href="/docs"');
    for (const one of [front, await send("/docs")])
      expect(one.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  });

  test("the page /docs lists each field of a paid operation once, with its type from JSON Schema", async () => {
    const html = await page();
    const article = html.slice(
      html.indexOf('<article id="watermarkText"'),
      html.indexOf('<article id="watermarkImage"'),
    );
    expect(article.match(/<dt><code>opacity<\/code>/g)).toHaveLength(1);
    expect(article).toContain("<dt><code>opacity</code><span>number, 0 to 1</span>");
    expect(article).toContain("<dt><code>text</code><span>string, 1 to 500 characters</span>");
  });

  test("the page /docs can send calls with the development key on loopback only", async () => {
    expect(await page()).toContain('<form class="try" data-path="/v1/watermark/text">');
    const elsewhere = await send("https://overprint.example/docs");
    expect(await elsewhere.text()).not.toMatch(/class="try"|data-development-key/);
    expect(elsewhere.headers.get("Content-Security-Policy")).not.toContain("connect-src");
  });

  test("the page /docs/errors explains the cause of every error code and its remedy", async () => {
    const html = await (await send("/docs/errors")).text();
    for (const code of Object.keys(PROBLEMS)) expect(html).toContain(`<dt id="${code}">`);
    expect(html).toContain("Correct the fields in <code>errors</code>");
    expect(html).not.toMatch(/undefined|\]\(/);
  });

  test("the page /docs/limits shows every limit of the deployment", async () => {
    const html = await (await send("/docs/limits")).text();
    const limits = await (await send("/v1/limits")).json<object>();
    for (const name of Object.keys(limits)) expect(html).toContain(`<dt id="${name}"><code>${name}</code>`);
    expect(html).toContain("<strong>100,000,000 (100 MB)</strong>");
  });

  test("/retention shows every table row of docs/retention.md and the lifetime of a link", async () => {
    const html = (await (await send("/retention")).text())
      .replaceAll(/<\/?(code|strong)>/g, "")
      .replaceAll("&#39;", "'");
    const terms = Array.from(retention.matchAll(/^\| ([^|]+) \|/gm), ([, term]) => term!.replaceAll("`", ""));
    const labels = ["data", "recipient"];
    expect(terms.length).toBeGreaterThan(20);
    for (const term of terms.filter((name) => !labels.includes(name))) expect(html).toContain(`<dt>${term}</dt>`);
    expect(html).toContain("work for 24 hours");
    expect(html).not.toMatch(/undefined|\]\(/);
  });

  test("/changelog shows the caller-facing changes of every release, and no changes for operators", async () => {
    const html = await (await send("/changelog")).text();
    const releases = Array.from(changelog.matchAll(/^## (.+)$/gm), ([, title]) => title!);
    expect(releases.length).toBeGreaterThan(1);
    for (const title of releases) expect(html).toContain(`<h2>${title}</h2>`);
    expect(html).toContain("<li><code>/changelog</code> lists the changes that callers notice.");
    expect(html).toContain("at least 12 months");
    expect(html).not.toContain("npm run serve");
  });
});
