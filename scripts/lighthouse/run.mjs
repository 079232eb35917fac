/**
 * `npm run check:lighthouse` rates the home page and the API reference with Lighthouse in Chromium, on a simulated
 * phone with a slow connection. Each figure is the median of five runs. The script fails if a median is below the
 * minimum, or if a page writes errors to the console.
 */
import * as chromeLauncher from "chrome-launcher";
import lighthouse from "lighthouse";
import { chromiumPath, NO_BROWSER } from "../lib/chromium.ts";
import { startWorker } from "../lib/worker.ts";

const RUNS = 5;
const PAGES = ["/", "/docs"];
/** Minimum rating of each category, from 0 to 100. */
const MINIMUM = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };
const CATEGORIES = /** @type {(keyof typeof MINIMUM)[]} */ (Object.keys(MINIMUM));

if (!chromiumPath) throw new Error(NO_BROWSER);
const worker = await startWorker();
let hasFailed = false;
try {
  for (const path of PAGES) {
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await rate(worker.url + path, chromiumPath));
    for (const category of CATEGORIES) {
      const rating = median(runs.map(({ ratings }) => ratings[category]));
      if (rating < MINIMUM[category]) hasFailed = true;
      console.log(`${path} ${category}: ${rating} (minimum ${MINIMUM[category]})`);
    }
    const faults = [...new Set(runs.flatMap((run) => run.faults))];
    for (const fault of faults) console.log(`  ${fault}`);
    if (runs.some(({ hasErrors }) => hasErrors)) hasFailed = true;
  }
} finally {
  await worker.stop();
}
if (hasFailed) process.exitCode = 1;

/** Rates a page once. @param {string} url @param {string} chromePath */
async function rate(url, chromePath) {
  const chrome = await chromeLauncher.launch({
    chromePath,
    chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const result = await lighthouse(url, { port: chrome.port, onlyCategories: CATEGORIES, logLevel: "error" });
    if (!result) throw new Error("Lighthouse returned no result");
    const { categories, audits } = result.lhr;
    const ratings = Object.fromEntries(
      CATEGORIES.map((name) => [name, Math.round(100 * (categories[name]?.score ?? 0))]),
    );
    const faults = CATEGORIES.filter((name) => name !== "performance").flatMap((name) =>
      (categories[name]?.auditRefs ?? [])
        .map(({ id, weight }) => ({ audit: audits[id], weight }))
        .filter(({ audit, weight }) => weight > 0 && audit && audit.score !== null && audit.score < 1)
        .map(({ audit }) => `${name}: ${audit?.title}`),
    );
    return {
      ratings: /** @type {Record<keyof typeof MINIMUM, number>} */ (ratings),
      faults,
      hasErrors: audits["errors-in-console"]?.score === 0,
    };
  } finally {
    chrome.kill();
  }
}

/** @param {number[]} values @returns {number} */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
