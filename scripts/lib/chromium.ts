import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Possible paths of the browser: the value of CHROMIUM_PATH, then the paths where Debian, Fedora and macOS install it. */
const PATHS = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Path of this machine's browser; undefined if no browser is installed. */
export const chromiumPath = PATHS.find((path) => path && existsSync(path));

/** Reason why browser tests are skipped. */
export const NO_BROWSER = "Chromium is not installed: run `apt-get install chromium`, or name one in CHROMIUM_PATH";

/** Starts this machine's browser without a window. */
export function startBrowser(): Promise<Browser> {
  // Chromium's sandbox needs rights that containers lack. The tests open only pages of this project.
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
}
