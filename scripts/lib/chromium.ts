import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian, Fedora and macOS install it, after the setting that names it. */
const PATHS = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser of this machine; undefined if there is none. */
export const chromiumPath = PATHS.find((path) => path && existsSync(path));

/** Says that tests are skipped, and why. */
export const NO_BROWSER = "no Chromium here: `apt-get install chromium`, or name one in CHROMIUM_PATH";

/** Starts the browser of this machine, headless. */
export function startBrowser(): Promise<Browser> {
  // Its sandbox needs rights that containers withhold; the pages it opens here are our own.
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
}
