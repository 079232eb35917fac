/** Tests that a self-hosted server finishes running requests and refuses new ones before it stops. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { drain, startMiniflare } from "../../scripts/lib/serveWorker.ts";

/**
 * A Worker that answers `/slow` after its scheduled handler has run. It sends a chunk of the body of `/stream` every
 * half second.
 */
const WORKER = `
  let isOpen;
  const gone = () => new Promise((resolve) => { const timer = setInterval(() => { if (isOpen) { clearInterval(timer); resolve(); } }, 20); });
  export default {
    async fetch(request, env, context) {
      const { pathname } = new URL(request.url);
      if (pathname === "/slow") return await gone(), new Response("slow");
      if (pathname === "/fails") throw new Error("fails");
      if (pathname !== "/stream") return new Response("quick");
      const { readable, writable } = new FixedLengthStream(8);
      const writer = writable.getWriter();
      const write = async () => {
        for (let part = 0; part < 4; part++) {
          await writer.write(new TextEncoder().encode("ab"));
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
        await writer.close();
      };
      context.waitUntil(write());
      return new Response(readable, { headers: { "Content-Length": "8" } });
    },
    async scheduled() { isOpen = true; },
  };`;

let folder: string;
let miniflare: Miniflare;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "overprint-drain-"));
  await writeFile(join(folder, "worker.js"), WORKER);
  const worker = { name: "main", modules: true, scriptPath: join(folder, "worker.js"), modulesRoot: folder };
  await writeFile(join(folder, "options.json"), JSON.stringify({ ...worker, compatibilityDate: "2026-11-01" }));
  const outside = { host: "127.0.0.1", port: 0, isLocal: true };
  miniflare = await startMiniflare(join(folder, "options.json"), folder, {}, { outside, unsafeTriggerHandlers: true });
  await miniflare.ready;
  url = (await miniflare.unsafeGetDirectURL("front")).origin;
});
afterAll(async () => {
  await miniflare.dispose();
  await rm(folder, { recursive: true, force: true });
});

test("a draining server finishes running calls and downloads, and answers 503 to new requests", async () => {
  expect(await (await fetch(url)).text()).toBe("quick");
  expect((await fetch(`${url}/fails`)).status).toBe(500);
  const aborted = new AbortController();
  const left = fetch(`${url}/slow`, { signal: aborted.signal }).catch(() => "aborted");
  const slow = fetch(`${url}/slow`).then((answer) => answer.text());
  const stream = await fetch(`${url}/stream`);
  aborted.abort();
  expect([await left, stream.headers.get("Content-Length")]).toEqual(["aborted", "8"]);

  let isDrained = false;
  const drained = drain(miniflare).then(() => (isDrained = true));
  const refused = await vi.waitUntil(async () => {
    const answer = await fetch(url, { method: "POST", body: new Uint8Array(3_000_000) });
    return answer.status === 503 ? answer : undefined;
  });
  expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
  expect(refused.headers.get("Retry-After")).toBe("10");
  expect(await refused.json()).toMatchObject({ status: 503, code: "too_busy", request_id: expect.any(String) });

  expect(await stream.text()).toBe("abababab");
  expect(isDrained).toBe(false);
  await miniflare.dispatchFetch("http://localhost/cdn-cgi/local/scheduled");
  expect(await slow).toBe("slow");
  await drained;
});

test("the address that starts draining answers 404 to a request without the secret path", async () => {
  const control = await miniflare.unsafeGetDirectURL("front", "control");
  expect((await fetch(new URL("/guess", control), { method: "POST" })).status).toBe(404);
});
