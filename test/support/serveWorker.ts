/** A program that serves a Worker which builtWorkers.ts has built: `node serveWorker.ts OPTIONS_FILE PLACE VARS`. */
import { readFile } from "node:fs/promises";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import type { ServerPlace } from "../../scripts/lib/worker.ts";

const [optionsFile, place, vars] = process.argv.slice(2) as [string, string, string];
const options = JSON.parse(await readFile(optionsFile, "utf8")) as V4WorkerOptions;
const { port, inspectorPort, state } = JSON.parse(place) as ServerPlace;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...options,
    bindings: { ...options.bindings, ...(JSON.parse(vars) as Record<string, string>) },
    host: "127.0.0.1",
    port,
    inspectorPort,
    resourcePersistencePath: state,
    cf: false, // or it would be fetched
    unsafeTriggerHandlers: true, // the sweep, as wrangler lets one call it
    log: new Log(LogLevel.WARN),
  }),
);
process.once("SIGTERM", async () => {
  await miniflare.dispose();
  process.exit();
});
await miniflare.ready;
