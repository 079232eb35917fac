/**
 * Replacements for the modules `cloudflare:workers` and `cloudflare:sockets`, for tests in plain Node. They contain
 * only what parts of the Worker that need no Workers runtime import. A test that needs more belongs to the `worker`
 * project.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FONTS = join(import.meta.dirname, "../../fonts");

/** Base class of the Worker's Durable Objects. */
export class DurableObject {}

/** Bindings of the Worker. `ASSETS` serves the fonts from disk. */
export const env = {
  ASSETS: {
    async fetch(url: string): Promise<Response> {
      const path = new URL(url).pathname.replace("/fonts/", "");
      return new Response(new Uint8Array(await readFile(join(FONTS, path))));
    },
  },
};

/** Runs a function without tracing it. */
export const tracing = { enterSpan: <T>(_name: string, act: () => T): T => act(), getActiveSpan: () => undefined };

/** Always throws, because the parts under test open no sockets. */
export function connect(): never {
  throw new Error("Sockets need the Workers runtime: run this test in the `worker` project");
}
