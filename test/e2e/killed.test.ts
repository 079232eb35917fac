/**
 * Kills the server with SIGKILL while it receives, marks and stores files, and restarts it on the same storage. `npm
 * run check:cases` kills the server at all points in `POINTS`.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from "vitest";
import { textPages } from "../../bench/inputs.ts";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { freePort } from "../../scripts/lib/worker.ts";
import { result } from "../../src/service/request/schemas.ts";
import { allCases } from "../support/allCases.ts";
import { builtWorker } from "../support/builtWorkers.ts";
import { storageFolder } from "../support/storageFolder.ts";
import { startWorker } from "../support/worker.ts";

const HOUR_MS = 3_600_000;
const PAY_TO = "0x00000000000000000000000000000000c0ffee04";
const TEXT_PATH = "/v1/watermark/text";
/** File that each call marks. The file is larger than `SPOOL_THRESHOLD_BYTES`, so the server spools it to R2. */
const PDF = Buffer.from(textPages(40, 10_000, "classic"));
const CHUNKS = 8;

/** Event outside the server after which a test kills the server. */
type Happening = `chunk ${number}` | "verify" | "settle" | "settled" | "answered" | "uploaded";

/**
 * Points at which tests kill the server: an event, and the number of milliseconds after it. `npm test` uses the first
 * {@link SMOKE_POINTS} of them.
 */
const POINTS: [happening: Happening, afterMs: number][] = [
  ["settled", 0],
  [`chunk ${CHUNKS}`, 50],
  ["verify", 0],
  ...[1, 2, 3, 5, 7].map((chunk): [Happening, number] => [`chunk ${chunk}`, 0]),
  ...[0, 20, 100, 150, 200, 300].map((afterMs): [Happening, number] => [`chunk ${CHUNKS}`, afterMs]),
  ["settle", 0],
  ["settle", 20],
  ["settled", 20],
  ["answered", 0],
  ["uploaded", 0],
  ["uploaded", 10],
];

const SMOKE_POINTS = 2;

let built: string;
let state: string;
let outside: { server: Server; url: string };
/** Nonces of the payments that the facilitator has settled. */
const settled = new Set<string>();
/** Download links that a caller has received. */
const links: URL[] = [];
let happens: (happening: Happening) => void = () => {};

beforeAll(async () => {
  built = dirname(await builtWorker(inject("builtWorkers"), "src/index.ts"));
  state = await mkdtemp(join(storageFolder(), "overprint-killed-"));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === "/contract.pdf") return sendSlowly(response);
    if (request.url === "/supported")
      return response.end(JSON.stringify({ kinds: [{ x402Version: 1, scheme: "exact", network: "base-sepolia" }] }));
    const { nonce, from } = JSON.parse(Buffer.concat(chunks).toString()).paymentPayload.payload.authorization;
    if (request.url === "/verify") {
      happens("verify");
      return response.end(JSON.stringify({ isValid: true, payer: from }));
    }
    happens("settle");
    await sleep(40);
    const isUsed = settled.has(nonce);
    settled.add(nonce);
    happens("settled");
    await sleep(40);
    const answer = isUsed
      ? { success: false, errorReason: "nonce_already_used", transaction: "" }
      : { success: true, transaction: nonce };
    response.end(JSON.stringify({ ...answer, network: "base-sepolia", payer: from }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  outside = { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
});
afterEach(() => {
  happens = () => {};
});
afterAll(async () => {
  outside?.server.close();
  outside?.server.closeAllConnections();
  if (state) await rm(state, { recursive: true, force: true });
});

async function sendSlowly(response: import("node:http").ServerResponse): Promise<void> {
  response.writeHead(200, { "Content-Length": PDF.length });
  const size = Math.ceil(PDF.length / CHUNKS);
  for (let chunk = 1; chunk <= CHUNKS; chunk++) {
    if (response.destroyed) return;
    response.write(PDF.subarray((chunk - 1) * size, chunk * size));
    await sleep(10);
    happens(`chunk ${chunk}`);
  }
  response.end();
}

/** Starts the server on the test's storage in its own process group, so that `kill` can end the whole group. */
async function serve() {
  const port = await freePort();
  const env = {
    ...{ PATH: process.env.PATH ?? "", PORT: String(port), STATE: state, BUILT: built, PAY_TO },
    ...{ FACILITATOR_URL: outside.url, FACILITATOR_TIMEOUT_SECONDS: "1", FETCH_TIMEOUT_SECONDS: "10" },
    ...{ ALLOW_LOOPBACK_SOURCES: "true", SPOOL_THRESHOLD_BYTES: "100000" },
  };
  const child = spawn(process.execPath, ["scripts/serve.ts"], { env, detached: true, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/healthz`).then(
      ({ status }) => status < 600,
      () => false,
    );
  await vi.waitUntil(isUp, { timeout: 60_000, interval: 50 });
  return { url, kill, [Symbol.asyncDispose]: kill };
}

/**
 * Creates a payer and a call. Returns the nonce of the payment, and a function that makes the call and can repeat it.
 */
async function order(url: string, text: string) {
  const { accepts } = (await (await fetch(url + TEXT_PATH, { method: "POST" })).json()) as { accepts: Offer[] };
  const payment = await signPayment(accepts[0]!, generatePrivateKey());
  const headers = { "X-PAYMENT": payment, "Idempotency-Key": crypto.randomUUID(), "Content-Type": "application/json" };
  const body = JSON.stringify({ file: `${outside.url}/contract.pdf`, text });
  const call = (at: string) => fetch(at + TEXT_PATH, { method: "POST", headers, body });
  return { nonce: JSON.parse(atob(payment)).payload.authorization.nonce as string, call };
}

/** Uploads a file slowly, and ignores failures. */
async function upload(url: string): Promise<void> {
  const asked = await fetch(`${url}/v1/uploads`, { method: "POST", body: JSON.stringify({ size: PDF.length }) });
  const { upload } = (await asked.json()) as { upload: { url: string; headers: Record<string, string> } };
  await new Promise<void>((resolve) => {
    const sending = httpRequest(upload.url, { method: "PUT", headers: upload.headers });
    sending.on("error", () => resolve());
    sending.on("response", (answer) =>
      answer
        .on("error", () => resolve())
        .resume()
        .on("end", resolve),
    );
    sending.write(PDF.subarray(0, PDF.length - 1000));
    sending.end(PDF.subarray(PDF.length - 1000), () => happens("uploaded"));
  });
}

const linkIn = async (answer: Response) => new URL(result.parse(await answer.json()).output.url);
const download = (url: string, { pathname, search }: URL) => fetch(url + pathname + search);

test.each((allCases ? POINTS : POINTS.slice(0, SMOKE_POINTS)).map(([happening, afterMs]) => ({ happening, afterMs })))(
  "after a kill and a restart, the server still returns paid results and delivered files (killed $afterMs ms after: $happening)",
  { timeout: 200_000 },
  async ({ happening, afterMs }) => {
    const text = `${happening} ${afterMs}`;
    const killed = Promise.withResolvers<void>();
    await using server = await serve();
    const { call, nonce } = await order(server.url, text);
    happens = (now) => {
      if (now === happening) setTimeout(() => void server.kill().then(killed.resolve), afterMs);
    };
    const act = happening === "uploaded" ? upload(server.url) : call(server.url).then(linkIn);
    const got = await act.catch(() => undefined);
    if (got) happens("answered");
    await killed.promise;
    happens = () => {};
    if (got) links.push(got);

    await using again = await serve();
    if (settled.has(nonce)) {
      const repeated = await vi.waitUntil(
        async () => {
          const answer = await call(again.url);
          return answer.status === 200 && answer;
        },
        { timeout: 120_000 },
      );
      const link = await linkIn(repeated);
      expect(got?.pathname ?? link.pathname).toBe(link.pathname);
      links.push(link);
    }
    for (const link of links) expect((await download(again.url, link)).status).toBe(200);
  },
);

test("the sweep of a repeatedly killed server deletes no valid link, and deletes everything once the links expire", {
  timeout: 120_000,
}, async () => {
  // On startup, the server deletes the files that workerd was writing when the server was killed.
  await (await serve()).kill();
  const worker = await startWorker(
    { PAY_TO, FACILITATOR_URL: outside.url },
    { entry: "test/e2e/spoolWorker.js", keptState: state },
  );
  try {
    const sweepAt = async (time: number) =>
      expect((await fetch(`${worker.url}/cdn-cgi/local/scheduled?time=${time}`)).status).toBe(200);
    const stored = async () => {
      const lists = await Promise.all(["results", "spool", "uploads"].map((kind) => fetch(`${worker.url}/${kind}`)));
      return (await Promise.all(lists.map((list) => list.json() as Promise<string[]>))).flat();
    };
    await sweepAt(Date.now());
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const file = await download(worker.url, link);
      expect([file.status, (await file.bytes()).length > PDF.length]).toEqual([200, true]);
    }
    await sweepAt(Date.now() + 26 * HOUR_MS);
    expect(await stored()).toEqual([]);
  } finally {
    await worker.stop();
  }
  expect(await readdir(join(state, "r2/overprint-results/blobs")), "files of the simulated R2 on the disk").toEqual([]);
});
