/**
 * `npm run check:tasks` runs the tasks of `tasks/tasks.ts` in Chromium: all of them on a phone and on a laptop, and
 * some at other sizes and in the dark color scheme. It saves a picture of the end of each task in `out/tasks/`, for
 * visual inspection. It fails if a task fails, if the page scrolls sideways, or if the browser reports an error.
 */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "./lib/chromium.ts";
import { samplePdf } from "./lib/samplePdf.ts";
import { startWorker } from "./lib/worker.ts";
import { SMOKE, TASKS, type Task } from "./tasks/tasks.ts";

const FOLDER = join(import.meta.dirname, "../out/tasks");

/** Sizes of windows and color schemes, with the tasks that run there. */
const VIEWS = [
  { width: 375, height: 740, colorScheme: "light", tasks: TASKS },
  { width: 1366, height: 768, colorScheme: "light", tasks: TASKS },
  { width: 768, height: 1024, colorScheme: "light", tasks: TASKS.filter(({ name }) => SMOKE.includes(name)) },
  { width: 1920, height: 1080, colorScheme: "light", tasks: TASKS.filter(({ name }) => SMOKE.includes(name)) },
  { width: 375, height: 740, colorScheme: "dark", tasks: TASKS.filter(({ name }) => SMOKE.includes(name)) },
  { width: 1366, height: 768, colorScheme: "dark", tasks: TASKS.filter(({ name }) => SMOKE.includes(name)) },
] as const;
type View = (typeof VIEWS)[number];

/** Errors that a task causes on purpose: the 402 of a purchase, and requests that are made offline or abandoned. */
const EXPECTED = /402 \(Payment Required\)|net::ERR_(INTERNET_DISCONNECTED|ABORTED|NETWORK_CHANGED)/;

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const sample = await samplePdf();
const [worker, browser] = await Promise.all([startWorker(), startBrowser()]);
let failed = 0;
let count = 0;
try {
  for (const view of VIEWS)
    for (const task of view.tasks) {
      const fault = await runTask(browser, worker.url, view, task);
      count++;
      if (fault) failed++;
      console.log(
        `${fault ? "✗" : "✓"} ${view.width} ${view.colorScheme}: ${task.name}${fault ? `\n    ${fault}` : ""}`,
      );
    }
} finally {
  await browser.close();
  await worker.stop();
}
console.log(`${count - failed} of ${count} tasks succeed; pictures are in ${FOLDER}`);
if (failed > 0) process.exitCode = 1;

/** Runs a task in a new profile. Returns the fault, or undefined. */
async function runTask(
  browser: Browser,
  url: string,
  { width, height, colorScheme }: View,
  { name, shows, run }: Task,
): Promise<string | undefined> {
  const viewport = { width, height };
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", hasTouch: width < 768 });
  const complaints: string[] = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => {
      if (message.type() === "error" && !EXPECTED.test(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(url, { waitUntil: "networkidle" });
    let fault: string | undefined;
    try {
      await run({ page, url, sample });
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (overflow !== 0) fault = `the page scrolls sideways by ${overflow} pixels`;
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
    await showEnd(page, shows);
    const file = `${width}-${colorScheme}-${name.replaceAll(/[^a-z0-9]+/g, "-").slice(0, 60)}.png`;
    await page.screenshot({ path: join(FOLDER, file) });
    return fault ?? (complaints.length > 0 ? complaints.join("; ") : undefined);
  } finally {
    await context.close();
  }
}

/** Brings the end of a task into view. Waits until the preview has drawn its page or shows an error. */
async function showEnd(page: Page, part = "#preview"): Promise<void> {
  try {
    await page.evaluate(`document.querySelector(${JSON.stringify(part)}).scrollIntoView({ block: "nearest" })`);
    if (part === "#preview")
      await page.waitForSelector('[aria-busy="false"] .sheet canvas, .source:has(.refused)', { timeout: 5000 });
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  } catch (error) {
    console.log(`    no picture of ${part}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}
