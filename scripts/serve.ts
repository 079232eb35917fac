/**
 * `npm run serve` serves the output of `npm run build:server` in workerd, without Cloudflare. Settings come from the
 * environment. STATE is the folder of the storage (default `state`), and HOST and PORT are the address (default
 * 127.0.0.1 and 8787). The sweep runs every hour. Every printed line is a JSON object.
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { settingsIn } from "../src/settings/settingNames.ts";
import { isPort, MAX_PORT } from "./lib/port.ts";
import { MiniflareLog, printLine, printMessage, printNodeMessages, printOfWorkerd } from "./lib/serverLog.ts";
import { watchFolders } from "./lib/watchFolders.ts";

printNodeMessages();

const HOUR_MS = 3_600_000;
/** Names of workerd's files while they are being written. */
const UNFINISHED = /^\.[0-9a-f]+\.\d+\.\d+\.tmp$/;
const { BUILT: built = "dist/server", STATE: state = "state", ...rest } = process.env;
const { HOST: host = "127.0.0.1", PORT: port = "8787", ...env } = rest;
if (!isPort(port)) {
  printMessage("error", `PORT must be a number from 1 to ${MAX_PORT}, not '${port}'`);
  process.exit(2);
}

const list = await readFile(join(built, "settings.json"), "utf8").catch(() => {
  printMessage("error", `${built} has no build. Run npm run build:server`);
  process.exit(2);
});
const names = JSON.parse(list) as string[];
/**
 * Settings for the Worker. Misspelled names are passed on, because the Worker then reports the right name and refuses
 * to sell.
 */
const vars = settingsIn(env, names);

const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
// The Worker trusts callers who use a loopback host name as developers on this machine, and accepts worthless test
// payments from them.
if (!vars.FACILITATOR_URL?.trim() && !isLocal) {
  printMessage("error", `FACILITATOR_URL is not set. Without it, serve only at 127.0.0.1, not at ${host}`);
  process.exit(2);
}

await mkdir(state, { recursive: true });
await deleteUnfinished(join(state, "r2"));
const { serveWorker } = await import("./lib/serveWorker.ts"); // loads serveWorker.ts late, because it loads slowly
const outside = { host, port: Number(port), isLocal };
const output = { log: new MiniflareLog(), handleStructuredLogs: printOfWorkerd };
// Miniflare serves the handlers that trigger the sweep only at its own address, which only this machine can reach
const place = { ...output, outside, unsafeTriggerHandlers: true };
const miniflare = await serveWorker(join(built, "options.json"), resolve(state), vars, place).catch(
  ({ message }: Error) => {
    printMessage("error", `The server could not start at ${host}:${port}: ${message}`);
    process.exit(2);
  },
);
await watchFolders(state, ["r2", "do"], async (name) => {
  const lost = `The folder ${name} of STATE was deleted while the server was running`;
  printMessage("error", `${lost}. The server stops, because new sales would be lost. docs/operate.md, "Recovery"`);
  await miniflare.dispose();
  process.exit(1);
});
printLine("info", { event: "serving", host, port: outside.port });

/**
 * Starts the sweep by a request instead of Miniflare's proxy, which would block this process until the Worker answers.
 * A blocked process does not read the Worker's log, and the Worker never answers while its log pipe is full.
 */
const sweep = async () => {
  const { ok, status } = await miniflare.dispatchFetch("http://localhost/cdn-cgi/local/scheduled");
  if (!ok) throw new Error(`the sweep failed: ${status}`);
};
const swept = () => void sweep().catch((error: unknown) => printMessage("error", String(error)));
swept();
setInterval(swept, HOUR_MS);

/** Deletes the files that workerd was writing when it was killed. The simulated R2 never reads or deletes them. */
async function deleteUnfinished(folder: string): Promise<void> {
  // at the first start, the folder does not exist
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const unfinished = files.filter((file) => file.isFile() && UNFINISHED.test(file.name));
  await Promise.all(unfinished.map(({ parentPath, name }) => rm(join(parentPath, name), { force: true })));
}
