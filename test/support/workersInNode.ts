/**
 * Replacements for the modules `cloudflare:workers` and `cloudflare:sockets`, for tests in plain Node. They contain
 * only the imports of the tested parts of the Worker. A test that needs more of the Workers runtime belongs to the
 * `worker` project.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FONTS = join(import.meta.dirname, "../../fonts");

/** Base class of the Worker's Durable Objects, in place of the runtime's class. */
export class DurableObject {}

/** Bindings of the Worker. `ASSETS` serves the font files from disk. */
export const env = {
  ASSETS: {
    async fetch(url: string): Promise<Response> {
      const path = new URL(url).pathname.replace("/fonts/", "");
      return new Response(new Uint8Array(await readFile(join(FONTS, path))));
    },
  },
};

/** Calls a function directly, without tracing. */
export const tracing = { enterSpan: <T>(_name: string, act: () => T): T => act(), getActiveSpan: () => undefined };

/** Always throws, because the tested parts of the Worker open no sockets. */
export function connect(): never {
  throw new Error("Sockets need the Workers runtime: run this test in the `worker` project");
}
