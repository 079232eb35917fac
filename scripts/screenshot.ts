/** `npm run screenshot` takes a picture of the playground with Chromium: `docs/playground.png`, for `docs/quick-start.md`. */
import { join } from "node:path";
import { startBrowser } from "./lib/chromium.ts";
import { startWorker } from "./lib/worker.ts";

const path = join(import.meta.dirname, "../docs/playground.png");
const [worker, browser] = await Promise.all([startWorker(), startBrowser()]);
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1900 }, reducedMotion: "reduce" });
  await page.goto(worker.url, { waitUntil: "networkidle" });
  await page.click("#sample");
  await page.waitForSelector(".sheet canvas");
  await page.check("form[data-operation=text] [name=template][value=outline]", { force: true });
  await page.fill("#text-color", "#cc0068");
  await page.fill("#text-opacity", "0.6");
  await page.waitForTimeout(2000);
  await page.click("#buy-in-development");
  await page.waitForSelector(".receipt");
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
  await page.mouse.move(0, 0);
  await page.locator("#playground").screenshot({ path });
} finally {
  await browser.close();
  await worker.stop();
}
