import { readFile } from "node:fs/promises";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
  type V4WorkerOptions,
} from "miniflare";

/**
 * Serves a Worker that `buildWorker` has built, in workerd, until the process is told to end.
 * @param optionsFile as `buildWorker` returns it
 * @param state the folder of its storage
 * @param vars its settings
 */
export async function serveWorker(
  optionsFile: string,
  state: string,
  vars: Record<string, string>,
  place: Pick<V4MiniflareOptions, "host" | "port" | "inspectorPort" | "unsafeTriggerHandlers">,
): Promise<Miniflare> {
  const options = JSON.parse(await readFile(optionsFile, "utf8")) as V4WorkerOptions;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...options,
      bindings: { ...options.bindings, ...vars },
      ...place,
      resourcePersistencePath: state,
      cf: false, // or it would be fetched
      log: new Log(LogLevel.WARN),
    }),
  );
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      await miniflare.dispose();
      process.exit();
    });
  await miniflare.ready;
  return miniflare;
}
