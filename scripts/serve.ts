/**
 * `npm run serve` serves the build of `npm run build:server` in workerd, without Cloudflare. STATE (`state`) is the
 * folder of its storage, HOST (127.0.0.1) and PORT (8787) its address. Settings come from the environment. The sweep
 * runs every hour.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { settingsIn } from "../src/settings/settingNames.ts";
import { isPort, MAX_PORT } from "./lib/port.ts";

const HOUR_MS = 3_600_000;
const { BUILT: built = "dist/server", STATE: state = "state", ...rest } = process.env;
const { HOST: host = "127.0.0.1", PORT: port = "8787", ...env } = rest;
if (!isPort(port)) {
  console.error(`PORT must be a number from 1 to ${MAX_PORT}, not '${port}'`);
  process.exit(2);
}

const list = await readFile(join(built, "settings.json"), "utf8").catch(() => {
  console.error(`${built} has no build. Run npm run build:server`);
  process.exit(2);
});
const names = JSON.parse(list) as string[];
/** Includes misspelled names: the Worker suggests the right one, and sells nothing. */
const vars = settingsIn(env, names);

const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
// A caller who uses a loopback host name counts as a developer on this machine, whose payments need no money.
if (!vars.FACILITATOR_URL?.trim() && !isLocal) {
  console.error(`FACILITATOR_URL is not set. Without it, serve only at 127.0.0.1, not at ${host}`);
  process.exit(2);
}

await mkdir(state, { recursive: true });
const { serveWorker } = await import("./lib/serveWorker.ts"); // loaded late: it takes longer than all of the above
const outside = { host, port: Number(port), isLocal };
const place = { outside, unsafeTriggerHandlers: true }; // at an address that only this machine can reach
const miniflare = await serveWorker(join(built, "options.json"), resolve(state), vars, place).catch(
  ({ message }: Error) => {
    console.error(`The server could not start at ${host}:${port}: ${message}`);
    process.exit(2);
  },
);
console.log(JSON.stringify({ event: "serving", host, port: outside.port }));

/**
 * Uses a request: Miniflare's proxy blocks this process until the Worker answers, which never happens while its log
 * pipe is full.
 */
const sweep = async () => {
  const { ok, status } = await miniflare.dispatchFetch("http://localhost/cdn-cgi/local/scheduled");
  if (!ok) throw new Error(`the sweep failed: ${status}`);
};
const swept = () => void sweep().catch((error: unknown) => console.error(error));
swept();
setInterval(swept, HOUR_MS);
