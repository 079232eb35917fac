import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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

/** Names of the Worker in front of the served Worker, and of the entry that only this process calls. */
const FRONT = "front";
const CONTROL = "control";
/**
 * Path that starts to drain the Worker of this process. The path is secret, because every local user can reach its
 * socket.
 */
const DRAIN_PATH = `/${randomUUID()}`;
/** Maximum duration of draining, in milliseconds. `docker run --stop-timeout` in docs/operate.md allows this time. */
const MAX_DRAIN_MS = 300_000;
const DRAIN_POLL_MS = 100;

/**
 * Serves a Worker as `startMiniflare` does, until the process receives SIGTERM or SIGINT. Requests under way at a public
 * address then finish, unless a second signal arrives. Returns once the Worker is ready.
 */
export async function serveWorker(...what: Parameters<typeof startMiniflare>): Promise<Miniflare> {
  const miniflare = await startMiniflare(...what);
  const [, , , { outside }] = what;
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.removeAllListeners(signal); // removes Miniflare's listener, which would kill workerd at once
    process.on(signal, async () => {
      if (outside && !isStopping) {
        isStopping = true;
        await drain(miniflare).catch((error: unknown) => console.error(error));
      }
      await miniflare.dispose();
      process.exit();
    });
  }
  await miniflare.ready;
  return miniflare;
}

/**
 * Makes the public address of a Worker answer new requests with 503. Waits until the answers to all other requests are
 * sent, at most {@link MAX_DRAIN_MS}.
 */
export async function drain(miniflare: Miniflare): Promise<void> {
  const url = new URL(DRAIN_PATH, await miniflare.unsafeGetDirectURL(FRONT, CONTROL));
  for (let ends = Date.now() + MAX_DRAIN_MS; Date.now() < ends; await sleep(DRAIN_POLL_MS)) {
    const { running } = (await (await fetch(url, { method: "POST" })).json()) as { running: number };
    if (running === 0) ends = 0; // pauses once more, because the last bytes of an answer may still be in workerd
  }
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
    name: FRONT,
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["enable_request_signal"],
    modules: [{ type: "ESModule", path: join(import.meta.dirname, "front.js") }],
    modulesRoot: import.meta.dirname,
    bindings: { IS_LOCAL: isLocal, DRAIN_PATH },
    serviceBindings: { WORKER: name },
    unsafeDirectSockets: [address, { host: "127.0.0.1", port: 0, entrypoint: CONTROL }],
  };
}
