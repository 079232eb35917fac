/**
 * `npm run bench:latency` calls a Worker whose ledger, R2 and facilitator answer with the latencies of the edge
 * (delays.ts). It alternates these calls with the same calls without latencies. For each kind of call it prints the
 * duration, the part that the latencies add, and the latency of the required steps. Required steps are those that the
 * call must wait for (docs/design/round-trips.md). It also divides the duration and the added part by the latency of
 * the required steps. It fails if the added part exceeds 1.1 times the latency of the required steps for a paid call,
 * or 1.15 times for a call through a channel, which has few steps. With `-- --save` it saves the results for `npm run
 * bench:plots`. The added part excludes the time of this machine's disk and processors. The duration includes this
 * time, because the ledger stores each payment in a separate local database. A disk in memory (`TMPDIR=/dev/shm`)
 * reduces this time.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { generatePrivateKey } from "viem/accounts";
import { type Offer, signPayment } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { depositAnswer, newChannelPayer } from "./channelBuyer.ts";
import { DELAYS } from "./delays.ts";
import { textPages } from "./inputs.ts";
import type { Results } from "./results.ts";
import { saveResults } from "./saveResults.ts";

const MOST_TIMES = 1.1;
const MOST_TIMES_ON_CHANNEL = 1.15;
const ROUNDS = 5;
const PDF = textPages(10, 10_000, "classic");
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** Answers of the facilitator and of a file server, each with its latency. */
const answers: Record<string, { ms: number; body: Uint8Array | object }> = {
  "/supported": {
    ms: 0,
    body: {
      kinds: [
        { x402Version: 1, scheme: "exact", network: "base-sepolia" },
        { x402Version: 2, scheme: "exact", network: "eip155:84532" },
        { x402Version: 2, scheme: "batch-settlement", network: "eip155:84532" },
      ],
    },
  },
  "/verify": { ms: DELAYS.verify, body: { isValid: true } },
  "/settle": {
    ms: DELAYS.settle,
    body: { success: true, transaction: `0x${"ab".repeat(32)}`, network: "base-sepolia" },
  },
  "/a.pdf": { ms: DELAYS.source, body: PDF },
  "/a.png": { ms: DELAYS.source, body: PNG },
};
let isFar = true;
const server = createServer(async (request, response) => {
  const path = request.url!;
  const { ms, body } = answers[path]!;
  const sent = await text(request);
  const onChannel = path === "/verify" || path === "/settle" ? depositAnswer(sent, path) : undefined;
  if (isFar) await sleep(ms);
  response.end(body instanceof Uint8Array ? body : JSON.stringify(onChannel ?? body));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const worker = await startWorker(
  {
    FACILITATOR_URL: elsewhere,
    PAY_TO: `0x${"aa".repeat(20)}`,
    CHANNEL_KEY: generatePrivateKey(),
    ALLOW_LOOPBACK_SOURCES: "true",
  },
  { entry: "bench/latencyWorker.ts" },
);

const textUrl = `${worker.url}/v1/watermark/text`;
const image = `${worker.url}/v1/watermark/image`;
const { accepts } = (await (await fetch(textUrl, { method: "POST" })).json()) as { accepts: Offer[] };
/** Returns the payment of a new payer. A new payer for each call ensures that no call repeats an earlier call. */
const sign = async (): Promise<Record<string, string>> => ({
  "X-PAYMENT": await signPayment(accepts[0]!, generatePrivateKey()),
});
const json = { "Content-Type": "application/json" };
const post = (url: string, headers: Record<string, string>, body: object | FormData) =>
  body instanceof FormData
    ? new Request(url, { method: "POST", headers, body })
    : new Request(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
const form = () => {
  const fields = new FormData();
  fields.set("file", new File([PDF], "a.pdf"));
  fields.set("text", "CONFIDENTIAL");
  return fields;
};
const byAddress = { file: `${elsewhere}/a.pdf`, text: "CONFIDENTIAL" };
const ask = async (request: Request) => {
  const answer = await fetch(request);
  const said = await answer.text();
  if (!answer.ok && answer.status !== 402) throw new Error(`${answer.status}: ${said}`);
  return said;
};
const keyed = async (key: string) => post(textUrl, { ...(await sign()), "Idempotency-Key": key }, byAddress);

const { ledger, budget, R2, source, verify, settle } = DELAYS;
/**
 * Latency of the steps that every paid call must wait for, without fetching files: admission (ledger and facilitator at
 * the same time), claim (ledger and allowance at the same time), storing the result, and settlement.
 */
const sale = Math.max(ledger, verify) + Math.max(ledger, budget) + R2 + ledger + settle;
/**
 * Latency of the steps of a call through an open channel: reservation, storing the result, and commit. The first call
 * also waits for the facilitator, which verifies and settles its deposit.
 */
const voucher = ledger + R2 + ledger;
/** Returns a call of a new payer through a channel, after `before` earlier calls. */
const onChannel = async (before: number) => {
  const payer = newChannelPayer();
  const next = async () => post(textUrl, await payer.sign(await fetch(textUrl, { method: "POST" })), form());
  for (let call = 0; call < before; call++) {
    const answer = await fetch(await next());
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    await answer.body?.cancel();
    await payer.received(answer);
  }
  return next();
};
/**
 * The kinds of calls, by name. Each kind has the latency of the steps that its calls must wait for, and a function that
 * prepares the request.
 */
const calls: Record<string, { path: number; ready: () => Promise<Request> }> = {
  "unpaid (402)": { path: 0, ready: async () => new Request(textUrl, { method: "POST" }) },
  "paid, file in the request body": { path: sale, ready: async () => post(textUrl, await sign(), form()) },
  "first call of a channel, with its deposit": { path: voucher + verify + settle, ready: () => onChannel(0) },
  "later call of a channel": { path: voucher, ready: () => onChannel(1) },
  "paid, file given as a URL": { path: sale + source, ready: async () => post(textUrl, await sign(), byAddress) },
  "paid, file given as an upload handle": {
    path: sale + 2 * R2,
    async ready() {
      const upload = JSON.parse(await ask(post(`${worker.url}/v1/uploads`, {}, { size: PDF.length })));
      await ask(new Request(upload.upload.url, { method: "PUT", body: PDF }));
      return post(textUrl, await sign(), { file: upload.handle, text: "CONFIDENTIAL" });
    },
  },
  "paid, file and image given as URLs": {
    path: sale + source,
    ready: async () => post(image, await sign(), { file: byAddress.file, image: `${elsewhere}/a.png` }),
  },
  "paid, with an Idempotency-Key": { path: sale + source + 2 * ledger, ready: () => keyed(crypto.randomUUID()) },
  "repeated with the same payment and key": {
    path: 2 * ledger + budget,
    async ready() {
      const request = await keyed(crypto.randomUUID());
      await ask(request.clone());
      return request;
    },
  },
  "download of a result": {
    path: R2,
    ready: async () => new Request(JSON.parse(await ask(post(textUrl, await sign(), byAddress))).output.url),
  },
};

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
const move = async (far: boolean) => {
  isFar = far;
  await fetch(`${worker.url}/${far ? "far" : "near"}`);
};

try {
  console.log(
    `Milliseconds, with latencies of ${JSON.stringify(DELAYS).replaceAll('"', "")}; medians of ${ROUNDS} calls\n`,
  );
  row(["call", "has to wait", "takes", "times", "the delays add", "times"]);
  row(Array(6).fill("---"));
  const measured: Results["latency"]["calls"] = [];
  for (const [name, { path, ready }] of Object.entries(calls)) {
    const timed = async (isFar: boolean) => {
      await move(false);
      const request = await ready();
      await move(isFar);
      const began = performance.now();
      await ask(request);
      return performance.now() - began;
    };
    const taken: number[] = [];
    const added: number[] = [];
    await timed(false); // the first round only warms up the Worker
    for (let round = 0; round < ROUNDS; round++) {
      const near = await timed(false);
      const far = await timed(true);
      taken.push(far);
      added.push(far - near);
    }
    const [takes, adds] = [median(taken), median(added)];
    const times = (ms: number) => (path === 0 ? "" : (ms / path).toFixed(2));
    row([name, path, takes.toFixed(0), times(takes), adds.toFixed(0), times(adds)]);
    measured.push({ name, waitMs: path, takesMs: takes, addsMs: adds });
    const most = name.includes("channel") ? MOST_TIMES_ON_CHANNEL : MOST_TIMES;
    if (/^paid|channel/.test(name) && adds > most * path) process.exitCode = 1;
  }
  if (process.argv.includes("--save"))
    await saveResults("latency", { delays: DELAYS, rounds: ROUNDS, calls: measured });
} finally {
  await worker.stop();
  server.close();
}
