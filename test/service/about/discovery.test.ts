import { expect, test } from "vitest";
import { PRODUCTS } from "../../../src/service/sale/products.ts";
import { ORIGIN, send, TEXT } from "../../support/client.ts";
import { decodeHeader, termsV2 } from "../../support/x402.ts";

test("/.well-known/x402 lists the endpoints that answer 402, and describes how to call them", async () => {
  const document = await (await send("/.well-known/x402")).json<{ resources: string[]; instructions: string }>();
  expect(document).toEqual({
    version: 1,
    resources: PRODUCTS.map(({ path }) => ORIGIN + path),
    instructions: expect.stringContaining("PAYMENT-SIGNATURE"),
  });
  for (const url of document.resources) expect((await send(url, { method: "POST" })).status).toBe(402);
});

test("the icon in the terms is an SVG without scripts, styles and links", async () => {
  const terms = termsV2.parse(decodeHeader((await send(TEXT, { method: "POST" })).headers.get("PAYMENT-REQUIRED")!));
  expect(terms.resource.serviceName).toBe("Overprint");
  expect(terms.resource.tags).toContain("watermark");
  const icon = await send(terms.resource.iconUrl);
  expect([icon.status, icon.headers.get("Content-Type")]).toEqual([200, "image/svg+xml"]);
  expect(icon.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin"); // discovery indexes show the icon on their own pages
  const svg = await icon.text();
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox/);
  expect(svg).not.toMatch(/script|style|href|on\w+=/);
});

test("/robots.txt allows everything except callers' files", async () => {
  const robots = await send("/robots.txt");
  expect(robots.headers.get("Content-Type")).toMatch(/^text\/plain/);
  expect(await robots.text()).toBe("User-agent: *\nDisallow: /v1/files/\n");
});

test.each(PRODUCTS)(
  'the short description for discovery indexes contains the word "watermark": $operation',
  ({ summary, description }) => {
    expect(summary).toMatch(/watermark/i);
    expect(description).toMatch(/watermark/i);
    expect(description.length).toBeLessThan(200);
  },
);
