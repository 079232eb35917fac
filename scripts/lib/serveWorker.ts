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

/** The address of a served Worker, and the receiver of its log. */
type Place = Pick<
  V4MiniflareOptions,
  "host" | "port" | "inspectorPort" | "unsafeTriggerHandlers" | "handleStructuredLogs" | "log"
> & {
  /** The public address, which `front.js` serves. Miniflare's own address then stays on loopback. */
  outside?: Outside;
};

interface Outside {
  host: string;
  port: number;
  /** Whether only this machine can reach the address. */
  isLocal: boolean;
}

/**
 * Serves a Worker as `startMiniflare` does, until the process receives SIGTERM or SIGINT. Returns once the Worker is
 * ready.
 */
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
 * Starts a Worker that `buildWorker` has built, in workerd. The Worker answers once the promise `ready` of the result
 * resolves.
 * @param optionsFile the path that `buildWorker` returns
 * @param state the folder of the Worker's storage
 * @param vars the Worker's settings
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
      log: new Log(LogLevel.WARN),
      ...place,
      resourcePersistencePath: state,
      cf: false, // turns off a download by Miniflare, which would otherwise fetch the data of `request.cf`
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
