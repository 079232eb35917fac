/** Tests payment links in a real browser: an agent without money requests a PDF, and a person pays for it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sampleContract } from "../../scripts/lib/sampleContract.ts";
import { violations } from "./axe.ts";
import { PATIENCE } from "./page.ts";
import { describePage } from "./running.ts";

interface Offered {
  url: string;
  claim: string;
}

describePage("the page of a payment link", (running) => {
  const connected = async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.worker.url}/mcp`)));
    return client;
  };
  const call = async (client: Client, name: string, fields: object) => {
    const { structuredContent } = await client.callTool({ name, arguments: { ...fields } });
    return structuredContent as Record<string, unknown>;
  };
  const prepared = async (client: Client, text = "PAID BY LINK", file?: Uint8Array) => {
    const { handle, upload } = await call(client, "request_upload", { name: "contract.pdf" });
    const { url, headers } = upload as { url: string; headers: Record<string, string> };
    const body = Buffer.from(file ?? (await sampleContract()));
    expect((await fetch(url, { method: "PUT", headers, body })).status).toBe(200);
    const fields = {
      tool: "add_text_watermark",
      arguments: JSON.stringify({ file: handle, text, filename: "signed" }),
    };
    return (await call(client, "request_payment_link", fields)) as unknown as Offered;
  };

  test("an agent without a payment gets the PDF after a person pays on the payment page", async () => {
    const client = await connected();
    const { url, claim } = await prepared(client);
    const page = await running.browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (!message.text().includes("402")) complaints.push(message.text()); // The checkout asks for the payment terms.
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => request.url().startsWith(running.worker.url) || complaints.push(request.url()));
    await page.goto(url, { waitUntil: "networkidle" });
    const shown = await page.innerText("main");
    for (const words of ["PAID BY LINK", "contract.pdf (uploaded)", "0.05 USDC"]) expect(shown).toContain(words);
    await page.waitForSelector("#preview canvas", PATIENCE);
    expect(await page.textContent("#preview-status")).toBe("Page 1 of 4 with the mark, drawn in this browser.");
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect((await page.locator("#preview canvas").boundingBox())!.height).toBeLessThanOrEqual(360);
    expect(await call(client, "get_result", { claim })).toEqual({ status: "open" });

    await expect.poll(() => page.isEnabled("#buy"), PATIENCE).toBe(true);
    await page.click("#buy-in-development");
    await page.waitForSelector(".receipt");
    expect(await page.innerText(".receipt h3")).toBe("signed.pdf is ready");
    const link = await page.inputValue("[data-part=link]");
    const sold = (await call(client, "get_result", { claim })) as unknown as { result: { output: { url: string } } };
    expect(sold).toMatchObject({ status: "sold", result: { output: { url: link, pages: 4 } } });
    expect(
      Buffer.from(await (await fetch(link)).arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");

    await page.reload({ waitUntil: "networkidle" });
    expect(await page.textContent("#preview-status")).toContain("already paid");
    expect(await page.inputValue(".receipt [data-part=link]")).toBe(link);
    expect(complaints).toEqual([]);
    await page.close();
    await client.close();
  });

  test("the payment page says before the payment that the call will fail or that no preview is available", async () => {
    const client = await connected();
    const page = await running.browser.newPage();
    const said = () => page.textContent("#preview-status");
    const damaged = await prepared(client, "DRAFT", Buffer.from("%PDF-1.7\n"));
    await page.goto(damaged.url, { waitUntil: "networkidle" });
    await expect
      .poll(said, PATIENCE)
      .toMatch(/^This call would fail, and nothing would be charged: The PDF .*another link/);
    const fields = JSON.stringify({ file: "https://example.com/contract.pdf", text: "DRAFT" });
    const { url } = await call(client, "request_payment_link", { tool: "add_text_watermark", arguments: fields });
    await page.goto(String(url), { waitUntil: "networkidle" });
    expect(await said()).toContain("There is no preview");
    expect(await page.locator("canvas").count()).toBe(0);
    await Promise.all([page.close(), client.close()]);
  });

  test("the payment page charges only the first person, and charges no one after the link is withdrawn", async () => {
    const client = await connected();
    const { url, claim } = await prepared(client, "SOLD ONCE");
    const [first, second] = await Promise.all([running.browser.newContext(), running.browser.newContext()]);
    const pages = [await first.newPage(), await second.newPage()] as const;
    for (const page of pages) {
      await page.goto(url, { waitUntil: "networkidle" });
      await expect.poll(() => page.isEnabled("#buy-in-development"), PATIENCE).toBe(true);
    }
    await pages[0].click("#buy-in-development");
    await pages[0].waitForSelector(".receipt");
    await pages[1].click("#buy-in-development");
    await expect
      .poll(() => pages[1].textContent("#purchase-status"), PATIENCE)
      .toMatch(/already paid.*not charged|already paid.*Nothing was charged/);
    expect((await fetch(`${running.worker.url}/v1/quotes/${claim}`, { method: "DELETE" })).status).toBe(409);

    const refuses = async (page: Page) => {
      await expect
        .poll(() => page.textContent("#purchase-status"), PATIENCE)
        .toBe("This link was already paid. It is sold once.");
      for (const id of ["buy", "buy-in-development"]) expect(await page.isDisabled(`#${id}`), id).toBe(true);
    };
    await pages[1].reload({ waitUntil: "networkidle" });
    await refuses(pages[1]);
    await pages[0].reload({ waitUntil: "networkidle" });
    await expect.poll(() => pages[0].isEnabled("#buy"), PATIENCE).toBe(true);
    expect(await pages[0].textContent("#buy")).toBe("Get it again");
    await pages[0].click("[data-part=revoke]");
    await pages[0].click("[data-part=confirm]");
    await refuses(pages[0]);

    const withdrawn = await prepared(client, "WITHDRAWN");
    await pages[1].goto(withdrawn.url, { waitUntil: "networkidle" });
    expect((await fetch(`${running.worker.url}/v1/quotes/${withdrawn.claim}`, { method: "DELETE" })).status).toBe(204);
    await expect.poll(() => pages[1].isEnabled("#buy-in-development"), PATIENCE).toBe(true);
    await pages[1].click("#buy-in-development");
    await expect
      .poll(() => pages[1].textContent("#purchase-status"), PATIENCE)
      .toContain("has expired or was withdrawn");
    await Promise.all([first.close(), second.close(), client.close()]);
  });
});
