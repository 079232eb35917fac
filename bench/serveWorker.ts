/**
 * Serves a Worker that `buildWorker` has built: `node serveWorker.ts OPTIONS_FILE PLACE VARS`. PLACE and VARS are JSON.
 */
import { serveWorker } from "../scripts/lib/serveWorker.ts";
import type { ServerPlace } from "../scripts/lib/worker.ts";

const [optionsFile, place, vars] = process.argv.slice(2) as [string, string, string];
const { port, inspectorPort, state } = JSON.parse(place) as ServerPlace;
await serveWorker(optionsFile, state, JSON.parse(vars) as Record<string, string>, {
  ...{ host: "127.0.0.1", port, inspectorPort },
  unsafeTriggerHandlers: true, // makes the sweep available at a URL, as wrangler also does
});
