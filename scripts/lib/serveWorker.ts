import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
  type V4WorkerOptions,
} from "miniflare";

/** The place where a Worker is served, and the receiver of its log. */
type Place = Pick<
  V4MiniflareOptions,
  "host" | "port" | "inspectorPort" | "unsafeTriggerHandlers" | "handleStructuredLogs"
> & {
  /** The public address, served through `front.js`. Miniflare's own address then stays on loopback. */
  outside?: Outside;
};

interface Outside {
  host: string;
  port: number;
  /** Whether only this machine can reach the address. */
  isLocal: boolean;
}

/** Serves a Worker as `startMiniflare` does, until the process receives a signal to end. */
export async function serveWorker(...what: Parameters<typeof startMiniflare>): Promise<Miniflare> {
  const miniflare = await startMiniflare(...what);
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      await miniflare.dispose();
      process.exit();
    });
  await miniflare.ready;
  return miniflare;
}

/**
 * Starts a Worker built by `buildWorker` in workerd. It answers once it is `ready`.
 * @param optionsFile the path that `buildWorker` returns
 * @param state the folder of its storage
 * @param vars its settings
 */
export async function startMiniflare(
  optionsFile: string,
  state: string,
  vars: Record<string, string>,
  { outside, ...place }: Place,
): Promise<Miniflare> {
  const options = JSON.parse(await readFile(optionsFile, "utf8")) as V4WorkerOptions;
  const worker = { ...options, bindings: { ...options.bindings, ...vars } };
  return new Miniflare(
    convertV4MiniflareOptions({
      workers: [worker, ...(outside ? [frontOf(worker.name!, outside)] : [])],
      ...place,
      resourcePersistencePath: state,
      cf: false, // otherwise Miniflare would fetch it
      log: new Log(LogLevel.WARN),
    }),
  );
}

/** Creates the Worker that forwards requests from a public address to another Worker. */
function frontOf(name: string, { isLocal, ...address }: Outside): V4WorkerOptions {
  return {
    name: "front",
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["enable_request_signal"],
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "front.js") }],
    modulesRoot: import.meta.dirname,
    bindings: { IS_LOCAL: isLocal },
    serviceBindings: { WORKER: name },
    unsafeDirectSockets: [address],
  };
}
