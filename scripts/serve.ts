/**
 * `npm run serve` serves what `npm run build:server` has built, in workerd, without Cloudflare: storage is in the folder
 * STATE (`state`), the address is HOST (127.0.0.1) and PORT (8787), and the settings are in the environment. The sweep runs
 * every hour.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { settingsIn } from "../src/settings/settingNames.ts";
import { isPort, MAX_PORT } from "./lib/port.ts";

const HOUR_MS = 3_600_000;
const { BUILT: built = "dist/server", STATE: state = "state", ...rest } = process.env;
const { HOST: host = "127.0.0.1", PORT: port = "8787", ...env } = rest;
if (!isPort(port)) {
  console.error(`PORT must be a number from 1 to ${MAX_PORT}, and is '${port}'`);
  process.exit(2);
}

const list = await readFile(join(built, "settings.json"), "utf8").catch(() => {
  console.error(`There is nothing to serve in ${built}: npm run build:server makes it`);
  process.exit(2);
});
const names = JSON.parse(list) as string[];
/** Nearly right names as well: the Worker says which was meant, and sells nothing. */
const vars = settingsIn(env, names);

const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
// who names a loopback host passes for a developer on this machine, whom payments without money are taken from
if (!vars.FACILITATOR_URL?.trim() && !isLocal) {
  console.error(`FACILITATOR_URL is not set: without it nothing may be served at ${host}, but at 127.0.0.1 alone`);
  process.exit(2);
}

await mkdir(state, { recursive: true });
const { serveWorker } = await import("./lib/serveWorker.ts"); // now that it is needed: it takes longer than all of this
const outside = { host, port: Number(port), isLocal };
const place = { outside, unsafeTriggerHandlers: true }; // at an address that this machine alone reaches
const miniflare = await serveWorker(join(built, "options.json"), resolve(state), vars, place).catch(
  ({ message }: Error) => {
    console.error(`Nothing can be served at ${host}:${port}: ${message}`);
    process.exit(2);
  },
);
console.log(JSON.stringify({ event: "serving", host, port: outside.port }));

/** By a request: to call the Worker, Miniflare stops this process until it answers, which it can't while its log is full. */
const sweep = async () => {
  const { ok, status } = await miniflare.dispatchFetch("http://localhost/cdn-cgi/local/scheduled");
  if (!ok) throw new Error(`the sweep failed: ${status}`);
};
const swept = () => void sweep().catch((error: unknown) => console.error(error));
swept();
setInterval(swept, HOUR_MS);
