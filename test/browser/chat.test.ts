/**
 * Tests the chat view, which shows a tool's result in a frame of a chat application. The tests cover its content, its
 * requests, and its behavior in hosts that deny capabilities.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callPaid } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { encryptedPage, VECTORS } from "../engine/pdf/security/encryptedFile.ts";
import { pagesOf, pdfOf, streamOf } from "../support/pdf.ts";
import { violations } from "./axe.ts";
import { type OpenView, startChat } from "./chat.ts";
import { PATIENCE } from "./page.ts";
import { describePage } from "./running.ts";

type Chat = Awaited<ReturnType<typeof startChat>>;

const dataUri = (pdf: Uint8Array) => `data:application/pdf;base64,${Buffer.from(pdf).toString("base64")}`;

const plain = (words: string | null) => words!.replaceAll(/[\u2068\u2069]/g, "");

/**
 * Returns whether the drawn first page has a pixel of about this color. `color` is red, green and blue from 0 to 255.
 */
const hasColor = ({ view }: OpenView, color: [number, number, number]) =>
  view.evaluate(`(() => {
    const canvas = document.querySelector("#page canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4)
      if (${JSON.stringify(color)}.every((part, of) => Math.abs(data[at + of] - part) < 40)) return true;
    return false;
  })()`);

/** A JPEG 2000 image of 64 x 64 green pixels. */
const GREEN_JP2 = Buffer.from(
  "AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAQAAAAEAAAw8HAAAAAAAPY29scgEAAAAAABAAAADBan" +
    "AyY/9P/1EALwAAAAAAQAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAAAAAAAAAAw8BAQ8BAQ8BAf9SAAwAAAABAQUEBAAB/1wAE0CAiIiQiIiQiIiQ" +
    "iIiQiIiQ/2QAJQABQ3JlYXRlZCBieSBPcGVuSlBFRyB2ZXJzaW9uIDIuNS4w/5AACgAAAAAAOgAB/5PH/gwOCIKfHABhH9/4kCgIkK9Hf9/4kC" +
    "gIkK9Hf4CAgICAgICAgICAgICAgP/Z",
  "base64",
).toString("latin1");

/**
 * Policy violations that occur if the host forbids web workers. pdf.js first tries to start a worker, and then uses the
 * main thread.
 */
const WITHOUT_WORKER = [/^console: Creating a worker from 'blob:/, /^console: Warning: Setting up fake worker/];
const others = (complaints: string[]) =>
  complaints.filter((words) => !WITHOUT_WORKER.some((expected) => expected.test(words)));

describePage("the chat view of a result", (running) => {
  let chat: Chat;
  let fields: { file: string; text: string; template: string };
  beforeAll(async () => {
    chat = await startChat(running.worker.url);
    fields = { file: dataUri(await samplePdf()), text: "DRAFT", template: "stamp" };
  });
  afterAll(() => chat?.stop());

  const show = (use: (open: OpenView) => Promise<void>, showing?: Parameters<Chat["show"]>[2]) =>
    chat.show(running.browser, use, showing);
  const expectStatus = ({ view }: OpenView, words: string) =>
    expect.poll(() => view.textContent("#status"), PATIENCE).toBe(words);
  const firstPage = ({ view }: OpenView) => view.waitForSelector("#page canvas", PATIENCE);

  describe.each(["application", "page"] as const)("in a host of type %s", (host) => {
    test("the chat view shows the order before the purchase, and then the page, the link and the receipt", () =>
      show(
        async (open) => {
          const { view, tell, opened, complaints } = open;
          expect(await view.evaluate("origin")).toMatch(host === "application" ? /^null$/ : /localhost/);
          const input = { ...fields, file: "https://example.com/files/a%20contract.pdf?key=1", opacity: 0.9 };
          await tell("sendToolInput", { arguments: input });
          await expectStatus(open, "The price is 0.05 USDC. A failed call costs nothing.");
          expect(plain(await view.textContent("#order"))).toBe(
            "“DRAFT” on every page of a contract.pdf: template stamp, opacity 0.9",
          );

          const result = await chat.call({ ...fields, opacity: 0.9, color: "#cc0068" });
          await tell("sendToolResult", result);
          await firstPage(open);
          expect(await hasColor(open, [204, 0, 104])).toBe(true);
          expect(plain(await view.innerText(".receipt"))).toMatch(
            /is ready\s+4 pages, [\d.]+ kB, 0\.05 USDC\s+The link expires in 24 hours/,
          );
          await expectStatus(open, "The PDF is ready.");
          const { url } = (result.structuredContent as { output: { url: string } }).output;
          expect(await view.inputValue("[data-part=link]")).toBe(url);
          await view.click("[data-part=download]");
          await expect.poll(opened, PATIENCE).toEqual([url]);
          await view.click("summary");
          const { transaction } = result._meta!["x402/payment-response"] as { transaction: string };
          expect(await view.innerText("details")).toContain(transaction);
          expect(others(complaints)).toEqual([]);
        },
        { host },
      ));
  });

  test("the chat view revokes the link after a confirmation", () =>
    show(async (open) => {
      const { view, tell } = open;
      const result = await chat.call(fields);
      await tell("sendToolResult", result);
      await firstPage(open);
      const url = await view.inputValue("[data-part=link]");
      await view.focus("[data-part=revoke]");
      await open.page.keyboard.press("Enter");
      expect(await view.evaluate("document.activeElement.dataset.part")).toBe("dismiss");
      expect((await fetch(url)).status).toBe(200);
      await open.page.keyboard.press("Tab");
      await open.page.keyboard.press("Enter");
      await view.getByText("You revoked the link.").waitFor();
      expect((await fetch(url)).status).toBe(410);
      expect(await view.evaluate("document.activeElement.className")).toContain("receipt");
      expect(await view.locator("#page canvas, [data-part=download]").count()).toBe(0);

      // The host replays the stored result when the user reopens the chat.
      await tell("sendToolResult", result);
      await view.getByText("The link has expired, and the file is deleted.").waitFor();
      expect(await view.locator("#page canvas, [data-part=download]").count()).toBe(0);
    }));

  test("the chat view shows the page of the latest result, even if an earlier result's file loads later", () =>
    show(async (open) => {
      const { page, view, tell } = open;
      const [first, last] = [await chat.call(fields), await chat.call({ ...fields, text: "FINAL" })];
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { url } = (first.structuredContent as { output: { url: string } }).output;
      await page.route(url, async (route) => {
        await released;
        await route.continue();
      });
      await tell("sendToolResult", first);
      await tell("sendToolResult", last);
      await firstPage(open);
      await view.evaluate("document.querySelector('#page canvas').id = 'last'");
      const drawn = page.waitForEvent("requestfinished", (request) => request.url() === url);
      release();
      await drawn;
      await page.waitForTimeout(1000);
      expect(await view.locator("#page #last").count()).toBe(1);
      expect(await view.locator(".receipt").count()).toBe(1);
    }));

  test("the chat view does not fetch an expired link", () =>
    show(async ({ page, view, tell }) => {
      const { structuredContent, ...result } = await chat.call(fields);
      const { output, ...rest } = structuredContent as { output: object };
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const expired = { ...output, expires_at: "2026-01-01T00:00:00.000Z" };
      await tell("sendToolResult", { ...result, structuredContent: { ...rest, output: expired } });
      await view.getByText("The link has expired, and the file is deleted.").waitFor();
      expect(asked).toEqual([]);
    }));

  test("the chat view reports an unpaid call, a refused call and a canceled call", () =>
    show(async (open) => {
      const { tell, view } = open;
      await tell("sendToolResult", await chat.call(fields, false));
      await expectStatus(open, "Not bought: the price of 0.05 USDC has not been paid. Nothing was charged.");
      await tell("sendToolResult", await chat.call({ ...fields, file: dataUri(Buffer.from("%PDF-1.7")) }));
      await expect.poll(() => view.textContent("#status"), PATIENCE).toMatch(/page/);
      expect(await view.textContent("#status")).not.toMatch(/[{`]/);
      await tell("sendToolCancelled", { reason: "user action" });
      await expectStatus(open, "The call was canceled.");
      expect(await view.locator(".receipt").count()).toBe(0);
    }));

  test("the chat view opens an encrypted file with the call's password, and reports a missing password", async () => {
    const locked = VECTORS.find(({ user, dict }) => user !== "" && dict.p === -4)!;
    const password = locked.user;
    const result = await chat.call({ file: dataUri(encryptedPage(locked)), text: "A", password });
    await show(async (open) => {
      await open.tell("sendToolInput", { arguments: { text: "A", password } });
      await expect.poll(() => open.view.textContent("#order"), PATIENCE).toContain("“");
      expect(await open.view.textContent("body")).not.toContain(password);
      await open.tell("sendToolResult", result);
      await firstPage(open);
    });
    await show(async ({ view, tell }) => {
      await tell("sendToolResult", result);
      await view.getByText("No preview: the file needs its password.").waitFor();
      expect(await view.locator("[data-part=download]").count()).toBe(1);
    });
  });

  test("the chat view renders the PDF in a web worker if the host allows workers", () =>
    show(
      async (open) => {
        await open.tell("sendToolResult", await chat.call(fields));
        await firstPage(open);
        expect(open.complaints).toEqual([]);
      },
      { workers: true, host: "page" },
    ));

  test("the chat view decodes images without WebAssembly if the host forbids WebAssembly", async () => {
    const image = "/Type /XObject /Subtype /Image /Width 64 /Height 64 /Filter /JPXDecode";
    const pdf = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R >>",
      streamOf("200 0 0 200 0 0 cm /I Do"),
      streamOf(GREEN_JP2, image),
    ]);
    const result = await chat.call({ file: dataUri(pdf), text: "A" });
    await show(async (open) => {
      await open.tell("sendToolResult", result);
      await firstPage(open);
      expect(await hasColor(open, [0, 128, 0])).toBe(true);
    });
  });

  test("the chat view fetches only the parts of a large file that the first page needs", async () => {
    const pages = Array.from({ length: 30 }, (_, index) => 3 + 2 * index);
    const pdf = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`,
      ...pages.flatMap((page) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${page + 1} 0 R >>`,
        streamOf(`%${"x".repeat(200_000)}\n1 0 1 rg 0 0 99 99 re f`),
      ]),
    ]);
    const form = new FormData(); // This call sends a form, because the file is too large for an MCP message.
    form.set("file", new File([pdf], "large.pdf"));
    form.set("text", "A");
    const sold = await callPaid(`${running.worker.url}/v1/watermark/text`, form);
    const result = { content: [], structuredContent: await sold.json() };
    await show(async (open) => {
      const ranges: string[] = [];
      open.page.on("request", (request) => {
        const { range } = request.headers();
        if (range) ranges.push(range);
      });
      await open.tell("sendToolResult", result);
      await firstPage(open);
      expect(await hasColor(open, [255, 0, 255])).toBe(true);
      const sizes = ranges
        .map((range) => /(\d+)-(\d+)/.exec(range)!)
        .map(([, from, to]) => Number(to) + 1 - Number(from));
      expect(sizes.length).toBeGreaterThan(0);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(pdf.length / 10);
    });
  });

  describe.each([
    ["light", 720],
    ["dark", 720],
    ["light", 320],
    ["dark", 320],
  ] as const)("with the theme %s, %i px wide", (theme, width) => {
    test("the chat view follows the host's theme, fits without scrolling, and passes axe's accessibility checks", () =>
      show(
        async (open) => {
          const { page, view, tell } = open;
          await tell("sendToolInput", { arguments: { ...fields, text: "W".repeat(500) } });
          await tell("sendToolResult", await chat.call(fields));
          await firstPage(open);
          await view.click("summary");
          await view.click("[data-part=revoke]");
          expect(await view.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
          await expect
            .poll(() => view.evaluate("document.documentElement.scrollHeight - innerHeight"), PATIENCE)
            .toBe(0);
          expect(await violations(view)).toEqual([]);
          expect(await view.evaluate("document.documentElement.lang")).toBe("en");
          const background = "getComputedStyle(document.body).backgroundColor";
          const before = await view.evaluate(background);
          expect(before).toBe(theme === "dark" ? "rgb(23, 26, 32)" : "rgb(255, 255, 255)");
          await tell("setHostContext", { theme: theme === "dark" ? "light" : "dark" });
          await expect.poll(() => view.evaluate(background), PATIENCE).not.toBe(before);
          await tell("setHostContext", { styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" } } });
          await expect.poll(() => view.evaluate(background), PATIENCE).toBe("rgb(1, 2, 3)");
          await page.close();
        },
        { context: { theme }, browser: { viewport: { width, height: 900 } } },
      ));
  });

  describe("in a host that denies a capability", () => {
    test("the chat view says that the link is in the chat if scripts are disabled", () =>
      show(
        async ({ view, complaints }) => {
          expect(await view.textContent("#status")).toContain("The download link is in the chat.");
          expect(complaints.filter((words) => words.startsWith("request:"))).toEqual([]);
        },
        { denies: "everything" },
      ));

    test("the chat view selects the link for copying if the host opens no links", () =>
      show(
        async ({ view, tell }) => {
          await tell("sendToolResult", await chat.call(fields));
          await view.click("[data-part=download]");
          await view.getByText("This app cannot open the link. Copy it instead.").waitFor();
          expect(await view.evaluate("getSelection().toString()")).toBe(await view.inputValue("[data-part=link]"));
        },
        { denies: "links" },
      ));

    test("the chat view selects the link for copying if it cannot access the clipboard", () =>
      show(async ({ view, tell }) => {
        await tell("sendToolResult", await chat.call(fields));
        await view.click("[data-part=copy]");
        await expect
          .poll(() => view.evaluate("getSelection().toString()"), PATIENCE)
          .toBe(await view.inputValue("[data-part=link]"));
      }));

    test("without network access, the chat view shows the link and says that the link could not be revoked", () =>
      show(
        async ({ view, tell }) => {
          await tell("sendToolResult", await chat.call(fields));
          await view.getByText("The first page cannot be previewed here.").waitFor();
          await view.click("[data-part=revoke]");
          await view.click("[data-part=confirm]");
          await view.getByText("The link could not be revoked.").waitFor();
          expect(await view.isVisible("[data-part=status]")).toBe(true);
          expect((await fetch(await view.inputValue("[data-part=link]"))).status).toBe(200);
        },
        { denies: "connections" },
      ));
  });

  describe("with untrusted input", () => {
    const EVIL = `<img src=x onerror="document.title='evil'">\u202efdp.exe\u2069\u0000\n${"x".repeat(5000)}`;

    test("the chat view neutralizes markup and control characters in arguments and names", () =>
      show(async (open) => {
        const { view, tell, complaints } = open;
        const input = { text: EVIL, file: { file_name: EVIL }, [EVIL]: EVIL, opacity: {}, font_size: 7 };
        await tell("sendToolInput", { arguments: input });
        await expect.poll(() => view.textContent("#order"), PATIENCE).toContain("<img src=x");
        const said = (await view.textContent("#order"))!;
        expect(said.match(/[\u202e\u0000\n]/)).toBeNull();
        expect(said.match(/\u2068/g)).toHaveLength(said.match(/\u2069/g)!.length);
        expect(said.length).toBeLessThan(500);
        await tell("sendToolInput", { arguments: { file: "https://x/%", image: 7 } });
        await expect
          .poll(async () => plain(await view.textContent("#order")), PATIENCE)
          .toBe("An image on every page of %");

        const { content, ...result } = await chat.call(fields);
        const named = content.map((block) => (block.type === "resource_link" ? { ...block, name: EVIL } : block));
        await tell("sendToolResult", { ...result, content: named });
        await firstPage(open);
        expect(await view.textContent("h2")).toContain("<img src=x");
        expect(await view.title()).toBe("Watermarked PDF");
        expect(await view.locator("img").count()).toBe(0);
        expect(others(complaints)).toEqual([]);
      }));

    test.each([
      "javascript:parent.postMessage(1,'*')//v1/files/",
      "https://evil.example.com/v1/files/1.pdf?token=2",
      "//v1/files/../../1",
      7,
    ])("the chat view ignores a link that does not point to the service's files: %j", (url) =>
      show(async (open) => {
        const { structuredContent, ...result } = await chat.call(fields);
        const { output, ...rest } = structuredContent as { output: object };
        await open.tell("sendToolResult", { ...result, structuredContent: { ...rest, output: { ...output, url } } });
        await expect.poll(() => open.view.textContent("#status"), PATIENCE).toContain("Watermarked 4 pages");
        expect(await open.view.locator("a").count()).toBe(0);
        expect(open.complaints).toEqual([]);
      }),
    );

    test("the chat view ignores messages from other windows", () =>
      show(async ({ page, view }) => {
        const message = {
          jsonrpc: "2.0",
          method: "ui/notifications/tool-input",
          params: { arguments: { text: "EVIL" } },
        };
        await view.evaluate(`postMessage(${JSON.stringify(message)}, "*")`);
        await page.evaluate(`frames[0].postMessage("nonsense", "*")`);
        await page.evaluate(`frames[0].postMessage(null, "*")`);
        await page.evaluate(`frames[0].postMessage({ jsonrpc: "2.0", method: "toString" }, "*")`);
        await page.waitForTimeout(100);
        expect(await view.textContent("#order")).not.toContain("EVIL");
      }));
  });

  test.each([
    ["very tall", 20, 14_400],
    ["very wide", 14_400, 20],
    ["very large", 14_400, 14_400],
  ])("the chat view fits a %s page into its frame", async (_, width, height) => {
    const result = await chat.call({ file: dataUri(pagesOf([`/MediaBox [0 0 ${width} ${height}]`])), text: "A" });
    await show(async (open) => {
      await open.tell("sendToolResult", result);
      await firstPage(open);
      const box = (await open.view.locator("#page canvas").boundingBox())!;
      expect(box.width).toBeLessThanOrEqual(352);
      expect(box.height).toBeLessThanOrEqual(480);
      expect(await open.view.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    });
  });
});
