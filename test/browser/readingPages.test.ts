/** Tests pages without controls in a real browser: the API reference, the MCP server's page and the error pages. */
import { describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { describePage } from "./running.ts";

const PAGES = [
  ["/docs", 200],
  ["/docs/errors", 200],
  ["/docs/limits", 200],
  ["/retention", 200],
  ["/changelog", 200],
  ["/mcp", 200],
  ["/nowhere", 404],
  ["/v1/files/nothing.pdf?token=0", 404],
  [`/v1/files/000001-${"0".repeat(32)}.pdf?token=0`, 410],
  ["/v1/watermark/text", 405],
] as const;

describePage("pages for reading", (running) => {
  test("the page /docs shows its title above the table of contents on a phone", async () => {
    const page = await running.browser.newPage({ viewport: { width: 360, height: 780 } });
    await page.goto(`${running.worker.url}/docs`);
    const top = async (selector: string) => (await page.locator(selector).boundingBox())!.y;
    expect(await top("h1")).toBeLessThan(await top(".contents"));
    expect(await top(".contents")).toBeLessThan(await top("#operations"));
    await page.close();
  });

  test("the page /docs can search operations, copy a snippet, and send a paid call with the development key", async () => {
    const context = await running.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await page.goto(`${running.worker.url}/docs`, { waitUntil: "networkidle" });
    await page.keyboard.press("/");
    await page.keyboard.type("revoke link");
    await page.getByText("1 entry").waitFor();
    expect(await page.isVisible("#watermarkText")).toBe(false);
    await page.fill("#search", "");
    await page.check("[name=client-text][value=typescript]", { force: true });
    await page.click("[data-copies=example-text-typescript]");
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain("wrapFetchWithPayment");
    await page.click("#watermarkText form.try button");
    await page.waitForSelector("#watermarkText output a");
    expect(await page.textContent("#watermarkText output")).toMatch(/^200\n/);
    await page.fill("#watermarkText textarea", "{");
    await page.click("#watermarkText form.try button");
    await page.getByText("The call failed").waitFor();
    await context.close();
  });

  test("the page /changelog lists the changes as separate entries", async () => {
    const page = await running.browser.newPage();
    await page.goto(`${running.worker.url}/changelog`);
    const boxes = await Promise.all(
      [0, 1].map((at) => page.locator(".single li").nth(at).boundingBox() as Promise<{ y: number; height: number }>),
    );
    expect(boxes[1]!.y - boxes[0]!.y - boxes[0]!.height).toBeGreaterThan(8);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.single li')).listStyleType")).toBe("disc");
    await page.close();
  });

  test("a button of the page /mcp copies the configuration text for a host", async () => {
    const context = await running.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    await page.goto(`${running.worker.url}/mcp`);
    await page.getByRole("button", { name: "Copy the text for Cursor" }).click();
    await page.getByText("Copied").first().waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(JSON.parse(copied)).toEqual({ mcpServers: { overprint: { url: `${running.worker.url}/mcp` } } });
    await context.close();
  });

  describe.each(PAGES)("%s", (path, status) => {
    test.each([
      ["light", 1280],
      ["dark", 1280],
      ["light", 360],
      ["dark", 360],
    ] as const)(
      "a documentation or error page passes axe's accessibility checks and loads all its resources in %s mode, %i px wide",
      async (colorScheme, width) => {
        const page = await running.browser.newPage({ colorScheme, viewport: { width, height: 780 } });
        try {
          const complaints: string[] = [];
          page.on("console", (message) => complaints.push(message.text()));
          page.on("requestfailed", (request) => complaints.push(request.url()));
          const response = await page.goto(running.worker.url + path, { waitUntil: "networkidle" });
          expect(response!.status()).toBe(status);
          // Chromium logs the status of the error page as an error.
          const expected = status === 200 ? [] : [expect.stringContaining(`status of ${status}`)];
          expect(complaints).toEqual(expected);
          expect(await page.evaluate("document.fonts.check('1rem \"Schibsted Grotesk\"')")).toBe(true);
          expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
          await page.evaluate("for (const answer of document.querySelectorAll('details')) answer.open = true");
          expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
          expect(await violations(page)).toEqual([]);
        } finally {
          await page.close();
        }
      },
    );
  });
});
