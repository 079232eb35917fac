import { createServer, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { samePages } from "../../bench/inputs.ts";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

/** A large file. The service processes only one file of this size at a time. */
const large = samePages(72, 120_000);
const most = large.subarray(0, -1_000_000);

/** Ways in which a file server sends a large file or fails to send it. */
const SOURCES: Record<string, (response: ServerResponse) => void> = {
  "/whole": (response) => response.setHeader("Content-Length", large.length).end(large),
  "/cut": (response) => response.setHeader("Content-Length", large.length).write(most, () => response.destroy()),
  "/cut-in-chunks": (response) => response.write(most, () => response.destroy()),
  "/stuck": (response) => response.setHeader("Content-Length", large.length).write(most, () => dieLater(response)),
  "/stuck-in-chunks": (response) => response.write(most, () => dieLater(response)),
  "/no-pdf": (response) => response.end(Buffer.alloc(large.length)),
  "/damaged": (response) => response.end(Buffer.alloc(large.length, "%PDF-1.7\n")),
};

const dieLater = (response: ServerResponse) => setTimeout(() => response.destroy(), 1500);

const BOUNDARY = "b";
const form = Buffer.concat([
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`),
  large,
  Buffer.from(`\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="text"\r\n\r\nA\r\n--${BOUNDARY}--\r\n`),
]);
const FORM = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
const JSON_TYPE = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

let server: Server;
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => SOURCES[url]?.(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server?.close();
  server?.closeAllConnections();
});
const at = (path: string) => `http://127.0.0.1:${(server.address() as { port: number }).port}${path}`;

describe.concurrent.each([
  ["in memory", "64000000"],
  ["in the spool", "1000000"],
])("calls with large files %s", (_, SPOOL_THRESHOLD_BYTES) => {
  let worker: StartedWorker;
  beforeAll(async () => {
    const vars = { ALLOW_LOOPBACK_SOURCES: "true", SPOOL_THRESHOLD_BYTES };
    worker = await startWorker(vars, { entry: "test/e2e/spoolWorker.js" });
  });
  afterAll(() => worker?.stop());
  const endpoint = () => `${worker.url}/v1/watermark/text`;

  /** Starts a call and disconnects after sending the body. */
  async function hangUp(
    path: string,
    headers: Record<string, string>,
    body: string | Uint8Array,
    length = body.length,
  ) {
    const { hostname, port, host } = new URL(worker.url);
    const all = { Host: host, "X-PAYMENT": await paymentFor(endpoint()), "Content-Length": String(length), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
      socket.write(body, () => setTimeout(() => socket.resetAndDestroy(), 300));
    });
  }
  const mark = (path: string) => callPaid(endpoint(), { file: at(path), text: "A" });
  const upload = async (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = FORM) =>
    fetch(endpoint(), { method: "POST", headers: { ...headers, "X-PAYMENT": await paymentFor(endpoint()) }, body });
  const json = (path: string) => JSON.stringify({ file: at(path), text: "A" });
  const message = (path: string) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add_text_watermark", arguments: { file: at(path), text: "A" } },
    });

  const failures: (() => Promise<unknown>)[] = [
    ...["/cut", "/cut-in-chunks", "/stuck", "/stuck-in-chunks", "/no-pdf", "/damaged"].map((path) => () => mark(path)),
    () => upload(form.subarray(0, -10)),
    () => upload(Buffer.concat([form.subarray(0, -4), Buffer.from("\r\n"), form])),
    () => upload(Buffer.alloc(large.length, " "), JSON_TYPE),
    () => hangUp("/v1/watermark/text", FORM, form.subarray(0, most.length), form.length),
    () => hangUp("/v1/watermark/text", FORM, form),
    () => hangUp("/v1/watermark/text", JSON_TYPE, Buffer.alloc(most.length, " "), large.length),
    ...["/whole", "/stuck", "/stuck-in-chunks"].flatMap((path) => [
      () => hangUp("/v1/watermark/text", JSON_TYPE, json(path)),
      () => hangUp("/mcp", JSON_TYPE, message(path)),
    ]),
  ];

  test("a failed or aborted call with a large file frees its slot and leaves nothing in the spool", async () => {
    for (let first = 0; first < failures.length; first += 3) {
      // When the service refuses a call, it may close the connection during the upload of the body.
      await Promise.allSettled(failures.slice(first, first + 3).map((fail) => fail()));
      const answer = await mark("/whole");
      expect([first, await answer.json()]).toEqual([first, expect.objectContaining({ cost: "0.05 USDC" })]);
    }
    await vi.waitFor(async () => expect(await (await fetch(`${worker.url}/spool`)).json()).toEqual([]), 20_000);
  }, 300_000);
});
