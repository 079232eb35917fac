/** Tasks that visitors do with the playground. Each task throws an error if the visitor would fail. */
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { encryptedPage, VECTORS } from "../../test/engine/pdf/security/encryptedFile.ts";
import { pagesOf } from "../../test/support/pdf.ts";
import { RED_PNG } from "../../test/support/png.ts";

/** A page with the playground, and the files that the visitor has. */
interface Visit {
  page: Page;
  url: string;
  sample: Uint8Array;
}

/** A goal of a visitor, and the steps to it. */
export interface Task {
  name: string;
  /** Selector of the part of the page that shows the end of the task. Defaults to the preview. */
  shows?: string;
  run(visit: Visit): Promise<unknown>;
}

const PATIENCE_MS = 20_000;

/** Waits until a function returns a truthy value. */
async function until(what: string, holds: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const status = (page: Page) => page.textContent("#status");
const curl = async (page: Page) => (await page.textContent("#snippet-curl")) ?? "";
const statusSays = (page: Page, words: RegExp) =>
  until(`the status matches ${words}`, async () => words.test((await status(page)) ?? ""));
const isForSale = (page: Page) => until("the file is for sale", () => page.isEnabled("#buy-in-development"));

async function choose(page: Page, pdf: Uint8Array, name = "mine.pdf"): Promise<void> {
  await page.setInputFiles("#file", { name, mimeType: "application/pdf", buffer: Buffer.from(pdf) });
  await until(`${name} is shown`, async () => (await status(page))?.startsWith(`${name}: `));
  await isForSale(page);
}

async function drop(page: Page, ...files: [name: string, type: string, bytes: Uint8Array][]): Promise<void> {
  const encoded = files.map(([name, type, bytes]) => [name, type, Buffer.from(bytes).toString("base64")]);
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, type, data] of ${JSON.stringify(encoded)})
      transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name, { type }));
    return transfer;
  })()`);
  await page.dispatchEvent("#preview", "drop", { dataTransfer });
}

async function template(page: Page, name: string): Promise<void> {
  await page.check(`form[data-operation=text] [name=template][value=${name}]`, { force: true });
  await isForSale(page);
}

async function more(page: Page): Promise<void> {
  await page.click("form[data-operation=text] summary");
}

async function boxOf(page: Page, selector: string) {
  return (await page.locator(selector).first().boundingBox())!;
}

async function drag(page: Page, selector: string, x: number, y: number): Promise<void> {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  const { x: left, y: top, width, height } = await boxOf(page, selector);
  await page.mouse.move(left + width / 2, top + height / 2);
  await page.mouse.down();
  await page.mouse.move(left + width / 2 + x / 2, top + height / 2 + y / 2);
  await page.mouse.move(left + width / 2 + x, top + height / 2 + y);
  await page.mouse.up();
  await isForSale(page);
}

async function buy(page: Page): Promise<void> {
  await isForSale(page);
  await page.click("#buy-in-development");
  await page.waitForSelector(".receipt");
}

async function isInView(page: Page, selector: string): Promise<boolean> {
  const { y, height } = await boxOf(page, selector);
  return y >= 0 && y + height <= page.viewportSize()!.height;
}

export const TASKS: readonly Task[] = [
  {
    name: "read what the service is, what it costs, and what happens to a file",
    shows: ".hero",
    async run({ page }) {
      const words = await page.innerText(".hero");
      for (const part of [/watermark/i, /0\.05 USDC/, /stays in this browser/]) match(words, part);
    },
  },
  {
    name: "see a marked sample without choosing a file",
    async run({ page }) {
      await page.locator("#preview").scrollIntoViewIfNeeded();
      await statusSays(page, /^sample\.pdf: 4 pages/);
    },
  },
  { name: "choose a file", run: ({ page, sample }) => choose(page, sample) },
  {
    name: "drop a logo on a document",
    async run({ page, sample }) {
      await choose(page, sample);
      await drop(page, ["logo.png", "image/png", RED_PNG]);
      await until("the call has the logo", async () => (await curl(page)).includes("logo.png"));
      await isForSale(page);
      match((await status(page))!, /^mine\.pdf: 4 pages/);
    },
  },
  {
    name: "drop two documents, and go on with the second",
    async run({ page, sample }) {
      await drop(page, ["one.pdf", "application/pdf", sample], ["two.pdf", "application/pdf", sample]);
      await statusSays(page, /^one\.pdf/);
      await page.click("#others >> text=two.pdf");
      await statusSays(page, /^two\.pdf/);
    },
  },
  {
    name: "choose a second file before the first one is shown",
    async run({ page, sample }) {
      const long = pagesOf(Array.from({ length: 500 }, () => "/MediaBox [0 0 595 842]"));
      await page.setInputFiles("#file", { name: "one.pdf", mimeType: "application/pdf", buffer: Buffer.from(sample) });
      await choose(page, long, "five-hundred.pdf");
      equal(await page.locator(".sheet").count(), 500);
      match((await status(page))!, /^five-hundred\.pdf: 500 pages/);
    },
  },
  {
    name: "open an encrypted file with its password in place of the page",
    async run({ page }) {
      const locked = VECTORS.find(({ user, dict }) => user !== "" && dict.p === -4)!;
      const file = { name: "locked.pdf", mimeType: "application/pdf", buffer: Buffer.from(encryptedPage(locked)) };
      await page.setInputFiles("#file", file);
      await page.waitForSelector("#preview #unlock-password:visible");
      await page.fill("#unlock-password", locked.user);
      await page.click("#unlock button");
      await statusSays(page, /^locked\.pdf: 1 page/);
    },
  },
  {
    name: "learn why a broken file is refused, without the old file for sale",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.setInputFiles("#file", { name: "no.pdf", mimeType: "application/pdf", buffer: Buffer.from("no") });
      await statusSays(page, /Choose another file/);
      equal(await page.locator(".sheet").count(), 0);
      equal(await page.isEnabled("#buy-in-development"), false);
    },
  },
  {
    name: "put a footer on the page, and see it",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "footer");
      await page.locator("form[data-operation=text] [value=footer]").scrollIntoViewIfNeeded();
      ok(await isInView(page, ".sheet .mark"), "the footer is not in view");
    },
  },
  {
    name: "drag a stamp to another corner",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "stamp");
      const sheet = await boxOf(page, ".sheet");
      const mark = await boxOf(page, ".mark");
      await drag(page, ".mark", -(mark.x - sheet.x) + sheet.width * 0.04, 0);
      match(await curl(page), /position=top-left/);
    },
  },
  {
    name: "drag a page number without changing its size",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.click('.presets >> text="Page 1 of 9"');
      await isForSale(page);
      await page.locator("#preview").scrollIntoViewIfNeeded();
      await drag(page, ".mark", 30, -60);
      match(await curl(page), /offset_y=/);
      equal(await page.inputValue("#text-font_size"), "");
    },
  },
  {
    name: "turn the mark by its handle",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "horizontal");
      await page.focus(".mark");
      await drag(page, ".handle.turn", -60, -90);
      notEqual(await page.inputValue("#text-rotation"), "");
    },
  },
  {
    name: "move, scale and turn the mark with the keyboard",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.focus(".mark");
      for (const key of ["Shift+ArrowRight", "ArrowUp", "-", "r"]) await page.keyboard.press(key);
      await isForSale(page);
      for (const field of ["offset_x=10", "offset_y=1", "font_size=", "rotation="])
        ok((await curl(page)).includes(field));
    },
  },
  {
    name: "reach every step with the keyboard alone",
    async run({ page }) {
      const focusOn = async (selector: string) => {
        for (let press = 0; press < 80; press++) {
          if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
          await page.keyboard.press("Tab");
        }
        throw new Error(`the keyboard does not reach ${selector}`);
      };
      await focusOn("#sample");
      await page.keyboard.press("Enter");
      await isForSale(page);
      for (const selector of ["[data-settings]", "[name=template]", "#text-opacity", "#share", "[name=client]"])
        await focusOn(selector);
    },
  },
  {
    name: "start from a preset and fill in a name",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.click('.presets >> text="Copy for …"');
      await page.keyboard.type("Zoë");
      match(await curl(page), /text=Copy for Zoë/);
      await isForSale(page);
    },
  },
  {
    name: "try a logo without having one",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.click('.presets >> text="Logo bottom right"');
      await until("the call has the sample logo", async () => (await curl(page)).includes("logo.png"));
      await isForSale(page);
    },
  },
  {
    name: "pick a color by a swatch, and read the opacity in percent",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.click("form[data-operation=text] [title=Blue]");
      await page.fill("#text-opacity", "0.55");
      match(await curl(page), /color=#1d4ed8/);
      equal(await page.textContent("output[for=text-opacity]"), "55 %");
      await isForSale(page);
    },
  },
  {
    name: "give a margin in millimeters",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "stamp");
      await more(page);
      await page.selectOption("#unit", "mm");
      await page.fill("#text-margin", "25.4");
      match(await curl(page), /margin=72/);
      await isForSale(page);
    },
  },
  {
    name: "undo a change and redo it",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "outline");
      await page.click("#undo");
      equal(await page.isChecked("[name=template][value=diagonal]"), true);
      await page.click("#redo");
      equal(await page.isChecked("[name=template][value=outline]"), true);
      await isForSale(page);
    },
  },
  {
    name: "mend an invisible mark with one click",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.fill("#text-opacity", "0");
      await until("a warning", () => page.isVisible("#warnings button"));
      await page.click("#warnings button");
      await until("no warning", async () => !(await page.textContent("#warnings")));
    },
  },
  {
    name: "jump to page 321 of 500, and zoom",
    async run({ page }) {
      await choose(page, pagesOf(Array.from({ length: 500 }, () => "/MediaBox [0 0 595 842]")), "long.pdf");
      await page.fill("#page-number", "321");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".sheet:nth-child(321) canvas");
      const { width } = await boxOf(page, ".sheet:nth-child(321)");
      await page.click("#zoom-in");
      await page.waitForSelector(".sheet:nth-child(321) canvas");
      ok((await boxOf(page, ".sheet:nth-child(321)")).width > width, "the page did not grow");
    },
  },
  {
    name: "share the settings by a link",
    shows: "#text-text",
    async run({ page, url }) {
      await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`);
      await page.fill("#text-text", "Für Zoë & Co. #1");
      await page.click("#share");
      await until("the link is copied", () => page.evaluate("window.copied"));
      const link = (await page.evaluate("window.copied")) as string;
      await page.evaluate("localStorage.clear()");
      await page.goto("about:blank");
      await page.goto(link, { waitUntil: "networkidle" });
      equal(await page.inputValue("#text-text"), "Für Zoë & Co. #1");
      ok(link.startsWith(url));
    },
  },
  {
    name: "find the settings again at the next visit, and reset them",
    shows: ".templates",
    async run({ page, url }) {
      await template(page, "stamp").catch(() => undefined); // without a file, nothing is for sale
      await page.goto("about:blank");
      await page.goto(url, { waitUntil: "networkidle" });
      equal(await page.isChecked("[name=template][value=stamp]"), true);
      await page.click("#reset");
      equal(await page.isChecked("[name=template][value=diagonal]"), true);
    },
  },
  {
    name: "buy the file, and see what was bought",
    shows: ".receipt",
    async run({ page, sample }) {
      await choose(page, sample);
      await template(page, "stamp");
      await buy(page);
      match(
        (await page.textContent(".receipt"))!,
        /mine-watermarked\.pdf is ready[\s\S]*“CONFIDENTIAL”, stamp[\s\S]*0\.05 USDC/,
      );
      match((await page.getAttribute(".receipt img", "src"))!, /^data:image\/webp/);
      const { pathname } = new URL((await page.getAttribute(".receipt a", "href"))!);
      match(pathname, /^\/v1\/files\/.+\.pdf$/);
    },
  },
  {
    name: "change a setting after buying, and see that it is not bought",
    shows: "#purchase-status",
    async run({ page, sample }) {
      await choose(page, sample);
      await buy(page);
      await page.fill("#text-text", "OTHER");
      await until("the change is offered", async () =>
        /not bought yet/.test((await page.textContent("#purchase-status")) ?? ""),
      );
      deepEqual(await page.locator(".receipt").count(), 1);
    },
  },
  {
    name: "buy two documents one after the other",
    shows: "#others",
    async run({ page, sample }) {
      const files = ["one.pdf", "two.pdf"].map((name, at) => ({
        ...{ name, mimeType: "application/pdf", buffer: Buffer.from([...sample, ...Array(at).fill(10)]) },
      }));
      await page.setInputFiles("#file", files);
      await until("both are offered", () => page.isEnabled("#series [data-payer=key]"));
      match((await page.textContent("#series [data-payer=wallet]"))!, /^Get all 2 PDFs for 0\.10 USDC$/);
      await page.click("#series [data-payer=key]");
      await until("both are bought", async () =>
        /All 2 PDFs are bought/.test((await page.textContent("#series-status")) ?? ""),
      );
      equal(await page.locator(".receipt").count(), 2);
    },
  },
  {
    name: "learn that the edge of the page cuts off the mark, and mend it",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.locator("#preview").scrollIntoViewIfNeeded();
      await page.focus(".mark");
      await drag(page, ".mark", 60, 0);
      await until("a warning", () => page.isVisible("#warnings button"));
      match((await page.textContent("#warnings"))!, /cuts off the mark/);
      await page.click("#warnings button");
      await until("no warning", async () => !(await page.textContent("#warnings")));
    },
  },
  {
    name: "choose the image operation, and learn that it needs an image",
    async run({ page, sample }) {
      await choose(page, sample);
      await page.check("[name=operation][value=image]", { force: true });
      await until("a sample is offered", () => page.isVisible("#warnings button"));
      await page.click("#warnings >> text=Try the sample logo");
      await isForSale(page);
    },
  },
  {
    name: "see that the engine loads on a slow line",
    async run({ page, sample }) {
      const session = await page.context().newCDPSession(page);
      const rate = 150_000; // bytes per second
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", {
        ...{ offline: false, latency: 100, downloadThroughput: rate, uploadThroughput: rate },
      });
      await page.setInputFiles("#file", { name: "mine.pdf", mimeType: "application/pdf", buffer: Buffer.from(sample) });
      await statusSays(page, /^Loading the engine: \d/);
      await session.send("Network.emulateNetworkConditions", {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      });
      await statusSays(page, /^mine\.pdf/);
    },
  },
  {
    name: "go offline, learn it, and go on when the connection is back",
    async run({ page, sample }) {
      await page.context().setOffline(true);
      await page.setInputFiles("#file", { name: "mine.pdf", mimeType: "application/pdf", buffer: Buffer.from(sample) });
      await statusSays(page, /You are offline/);
      await page.context().setOffline(false);
      await statusSays(page, /^mine\.pdf: 4 pages/);
    },
  },
  {
    name: "find an operation in the reference",
    shows: "#search",
    async run({ page, url }) {
      await page.goto(`${url}/docs`, { waitUntil: "networkidle" });
      await page.fill("#search", "revoke link");
      await until("one entry", async () => (await page.textContent("#found")) === "1 entry");
    },
  },
];

/** Names of the tasks that are also run at other sizes and in the dark color scheme. */
export const SMOKE: readonly string[] = TASKS.map(({ name }) => name).filter((name) =>
  /^(read what|see a marked|drag a stamp|buy the file|find an operation)/.test(name),
);
