/**
 * `npm run bench:abuse` sends unpaid calls of many forms to the running Worker. For each form, the benchmark prints two
 * values: the CPU in excess of an empty Worker that receives the same bytes, and the memory that the calls hold. It
 * then measures how long a paying caller waits, first alone and then beside 50 attackers of each kind. The benchmark
 * fails if a value exceeds the limits below.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { watchHeap } from "../scripts/lib/heap.ts";
import { callPaid, signPayment, signPaymentV2 } from "../scripts/lib/pay.ts";
import { type RunningWorker, startWorker } from "../scripts/lib/worker.ts";
import { another, type Call, FORM, forged, JSON_TYPE, pdfOf, send, TEXT, termsOf, upload } from "./attacks.ts";
import { INPUTS, scans } from "./inputs.ts";
import { startFacilitator } from "./startFacilitator.ts";

process.env.MINIFLARE_WORKERD_V8_FLAGS = "--expose-gc";
const [MOST_CPU_MS, MOST_KB, MOST_TIMES] = [20, 64, 2];
const ATTACKERS = 50;
const LIMIT_PER_MINUTE = 120;

function message(beginning: string, bytes: number): Uint8Array {
  const start = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_text_watermark",${beginning}"arguments":{"text":"A","file":"`;
  return Buffer.concat([Buffer.from(start), Buffer.alloc(bytes, "A"), Buffer.from('"}}}')]);
}

const encode = (text: string) => new TextEncoder().encode(text);
const small = encode(JSON.stringify({ file: "https://files.example.com/a.pdf", text: "A" }));
const [medium, large] = [upload(pdfOf(7_900_000)), upload(pdfOf(95_000_000))];

const facilitator = await startFacilitator();
/** A file server. It sends the start of each file at once, and then a few bytes at a time. */
const source = await listen((_, response) => {
  response.setHeader("Content-Length", 20_000_000).write(pdfOf(9_000_000));
  const timer = setInterval(() => response.write(Buffer.alloc(100)), 100);
  response.on("close", () => clearInterval(timer));
});

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, stop };
}

/**
 * Returns the forms of an unpaid call by name. Each form has a number of repetitions and a function that creates a
 * call. If a form has a payment, each of its calls has a new payment.
 */
async function forms(worker: RunningWorker): Promise<Record<string, [number, () => Promise<Call>]>> {
  const terms = await termsOf(worker);
  const v1 = async () => ({ "X-PAYMENT": forged(await signPayment(terms)) });
  const inMessage = async () => `"_meta":{"x402/payment":"${forged(await signPaymentV2(terms))}"},`;
  const from = (address: string) => ({ "X-From": address, Host: "api.example.com" });
  const call = (headers: Record<string, string>, body: Uint8Array, path = TEXT): Call => ({ path, headers, body });
  return {
    "unpaid, small JSON": [200, async () => call(JSON_TYPE, small)],
    "unpaid, form of 7.9 MB": [10, async () => call(FORM, medium)],
    "unpaid, form of 95 MB": [4, async () => call(FORM, large)],
    "not a payment at all": [200, async () => call({ ...JSON_TYPE, "X-PAYMENT": "A".repeat(4000) }, small)],
    "of another shape": [
      200,
      async () => call({ ...JSON_TYPE, "X-PAYMENT": btoa('{"x402Version":1,"scheme":"exact","payload":{}}') }, small),
    ],
    "forged, small JSON": [200, async () => call({ ...JSON_TYPE, ...(await v1()) }, small)],
    "forged, form of 7.9 MB": [10, async () => call({ ...FORM, ...(await v1()) }, medium)],
    "forged, form of 95 MB": [4, async () => call({ ...FORM, ...(await v1()) }, large)],
    "MCP, unpaid, small": [200, async () => call(JSON_TYPE, message("", 100), "/mcp")],
    "MCP, unpaid, 31 MB": [5, async () => call(JSON_TYPE, message("", 31_000_000), "/mcp")],
    "MCP, forged, small": [200, async () => call(JSON_TYPE, message(await inMessage(), 100), "/mcp")],
    "MCP, forged, 31 MB": [5, async () => call(JSON_TYPE, message(await inMessage(), 31_000_000), "/mcp")],
    "over the rate limit, unpaid": [200, async () => call({ ...JSON_TYPE, ...from("203.0.113.1") }, small)],
    "throttled, small JSON": [200, async () => call({ ...JSON_TYPE, ...from("203.0.113.2"), ...(await v1()) }, small)],
    "throttled, form of 95 MB": [4, async () => call({ ...FORM, ...from("203.0.113.2"), ...(await v1()) }, large)],
  };
}

const EMPTY = { "X-Empty": "1" };
const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let failures = 0;
const judged = (text: string, isMet: boolean) => {
  if (!isMet) failures++;
  return isMet ? text : `**${text}**`;
};

/** Returns the mean CPU of a call in milliseconds, and the status of the last call. */
async function cpuOf(worker: RunningWorker, calls: Call[]): Promise<{ cpu: number; status: number }> {
  const before = await worker.cpuMs();
  let status = 0;
  for (const call of calls) status = await send(worker, call);
  return { cpu: ((await worker.cpuMs()) - before) / calls.length, status };
}

/**
 * Returns the kilobytes that the Worker holds per call, while many simultaneous calls stall halfway through their
 * bodies.
 */
async function heldBy(worker: RunningWorker, make: () => Promise<Call>): Promise<number> {
  const calls = await Promise.all(Array.from({ length: ATTACKERS }, make));
  const heap = await watchHeap(worker.inspectorPort);
  const heldMb = async () => {
    for (let times = 0; times < 3; times++) {
      // V8 releases buffers with a delay, so several collections are needed
      await fetch(worker.url, { headers: { ...EMPTY, "X-Collect": "1" } });
      await pause(100);
      heap.peakMb();
    }
    await pause(100);
    return heap.peakMb();
  };
  const before = await heldMb();
  const sockets: Socket[] = [];
  for (const call of calls) {
    const half = call.body.subarray(0, Math.min(call.body.length >> 1, 1_000_000));
    void send(worker, { ...call, body: half, announced: call.body.length }, sockets);
  }
  await pause(1500);
  const after = await heldMb();
  heap.stop();
  for (const socket of sockets) socket.destroy();
  await pause(500);
  return Math.max(0, (1000 * (after - before)) / ATTACKERS);
}

/**
 * Returns the smallest of up to three measurements. Memory that the calls hold appears in all of them. Garbage that V8
 * has not collected yet, and modules that the first call loads, appear only in some of them.
 */
async function leastHeldBy(worker: RunningWorker, make: () => Promise<Call>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3 && least > MOST_KB; times++) least = Math.min(least, await heldBy(worker, make));
  return least;
}

async function measureForms(vars: Record<string, string>) {
  const worker = await startWorker(vars, { entry: "bench/abuseWorker.ts" });
  try {
    for (const [name, [times, make]] of Object.entries(await forms(worker))) {
      const calls = await Promise.all(Array.from({ length: times }, make));
      for (let warm = 0; warm < LIMIT_PER_MINUTE + 10 && times > LIMIT_PER_MINUTE; warm++)
        await send(worker, await make());
      const empty = await cpuOf(
        worker,
        calls.map((call) => ({ ...call, headers: { ...call.headers, ...EMPTY } })),
      );
      const { cpu, status } = await cpuOf(worker, calls);
      const kb = await leastHeldBy(worker, make);
      const more = cpu - empty.cpu;
      row([
        name,
        status,
        empty.cpu.toFixed(1),
        cpu.toFixed(1),
        judged(more.toFixed(1), more <= MOST_CPU_MS),
        judged(kb.toFixed(0), kb <= MOST_KB),
      ]);
    }
  } finally {
    await worker.stop();
  }
}

console.log("Unpaid calls: milliseconds of CPU, and KB held by each of 50 whose bodies stop half way\n");
row(["form", "answer", "empty Worker", "ours", "beyond it", "KB held"]);
row(Array(6).fill("---"));
const fromAfar = { FACILITATOR_URL: facilitator.url, PAY_TO: `0x${"aa".repeat(20)}` };
await measureForms(fromAfar);

/**
 * Name of the baseline attack, whose calls get an empty answer. The baseline shows the cost of receiving calls on this
 * machine. The other attackers send the same number of calls.
 */
const EMPTY_CALLS = "calls to an empty Worker";

/** Sends one call of an attacker. Attackers repeat the call. */
type Attack = (worker: RunningWorker, payment: string, number: number) => Promise<unknown>;

const ATTACKS: Record<string, Attack> = {
  async [EMPTY_CALLS](worker) {
    await send(worker, { headers: { ...JSON_TYPE, ...EMPTY }, body: small });
  },
  async "fast forgers"(worker, payment, number) {
    const headers = { ...JSON_TYPE, "X-From": `198.51.100.${number}`, Host: "api.example.com" };
    await send(worker, { headers: { ...headers, "X-PAYMENT": forged(payment) }, body: small });
  },
  async "uploads that stop at 7.8 MB"(worker, payment) {
    const headers = { ...FORM, "X-PAYMENT": payment };
    await send(worker, { headers, body: medium.subarray(0, 7_800_000), announced: medium.length });
  },
  async "sources that drip"(worker, payment) {
    const headers = { ...JSON_TYPE, "X-PAYMENT": payment };
    await send(worker, { headers, body: encode(JSON.stringify({ file: `${source.url}/a.pdf`, text: "A" })) });
  },
};

const FILES = { "10 pages": [INPUTS.a.make(), 15], "20 MB": [scans(40, 500_000), 7] } as const;
/** Pause between two attempts of an attacker. Without this pause, the attackers' own CPU would dominate. */
const BREATH_MS = 1000;

delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
// DEFAULT_KEY is off, so that the Worker marks the file again each time that a payer repeats a call
const settings = { ...fromAfar, ALLOW_LOOPBACK_SOURCES: "true", DEFAULT_KEY: "false" };
const worker = await startWorker(settings, { entry: "bench/abuseWorker.ts" });
try {
  const terms = await termsOf(worker);
  const latencies = async () => {
    const found: Record<string, number> = {};
    for (const [name, [pdf, times]] of Object.entries(FILES)) {
      const taken: number[] = [];
      for (let i = 0; i < times; i++) {
        const form = new FormData();
        form.set("file", new File([pdf], "a.pdf"));
        form.set("text", "CONFIDENTIAL");
        const payment = await signPayment(terms);
        const began = performance.now();
        const response = await callPaid(worker.url + TEXT, form, payment);
        if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
        taken.push(performance.now() - began);
      }
      found[name] = median(taken);
    }
    return found;
  };

  const signed = await signPayment(terms);
  await latencies(); // warms up the Worker
  const alone = await latencies();
  console.log(
    `\nMedian wait of a paying caller in milliseconds, alone and with ${ATTACKERS} attackers of a kind (ratio)\n`,
  );
  row(["", ...Object.keys(FILES)]);
  row(Array(3).fill("---"));
  row(["alone", ...Object.values(alone).map((ms) => ms.toFixed(0))]);
  for (const [name, attack] of Object.entries(ATTACKS)) {
    let isOver = false;
    const attackers = Array.from({ length: ATTACKERS }, async (_, number) => {
      await pause((number * BREATH_MS) / ATTACKERS);
      while (!isOver) {
        await attack(worker, another(signed), number);
        await pause(BREATH_MS);
      }
    });
    await pause(15_000); // after this pause, the throttle on forged payments applies
    const busy = await latencies();
    isOver = true;
    await Promise.all(attackers);
    row([
      name,
      ...Object.entries(busy).map(([file, ms]) => {
        const times = ms / alone[file]!;
        return judged(`${ms.toFixed(0)} (${times.toFixed(1)})`, times <= MOST_TIMES || name === EMPTY_CALLS);
      }),
    ]);
  }
} finally {
  await worker.stop();
  facilitator.stop();
  source.stop();
}
process.exitCode = failures > 0 ? 1 : 0;
