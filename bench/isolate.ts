/**
 * `npm run bench:isolate` measures the isolate's own CPU of a warm call: with a file of 10 pages and a Latin text, paid and
 * unpaid, beside a Worker that answers nothing. V8's profiler looks at the Worker's isolate every 0.1 ms while calls come one
 * after the other; what is counted is where it finds the Worker's code at work, or its garbage collector. R2 and what stores
 * for Durable Objects are isolates of their own, the facilitator is a process, and signing is done before. The runtime's native
 * part, which answers for all isolates there, is told beside it.
 */
import { signPayment } from "../scripts/lib/pay.ts";
import { type Inspector, openInspector } from "../scripts/lib/inspector.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { FORM, TEXT, termsOf, upload } from "./attacks.ts";
import { INPUTS } from "./inputs.ts";
import { startFacilitator } from "./startFacilitator.ts";

const CALLS = 200;
const WARM_UP = 100;
const INTERVAL_US = 100;

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds. */
  timeDeltas: number[];
}

/** Returns milliseconds of the isolate's code, and of the runtime, in all `calls`. */
async function profiled(inspector: Inspector, calls: () => Promise<void>): Promise<{ own: number; native: number }> {
  await inspector.send("Profiler.start");
  await calls();
  const { profile } = await inspector.send<{ profile: Profile }>("Profiler.stop");
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const total = { own: 0, native: 0 };
  for (const [at, id] of profile.samples.entries()) {
    const name = names.get(id);
    // while others have the thread no samples are taken: the next one would be held to have taken all of that time
    const ms = Math.min(profile.timeDeltas[at]!, 2 * INTERVAL_US) / 1000;
    if (name !== "(idle)") total[name === "(program)" ? "native" : "own"] += ms;
  }
  return total;
}

const facilitator = await startFacilitator();
const worker = await startWorker(
  { FACILITATOR_URL: facilitator.url, PAY_TO: `0x${"aa".repeat(20)}` },
  { entry: "bench/callWorker.ts" },
);
const inspector = await openInspector(worker.inspectorPort);
try {
  await inspector.send("Profiler.enable");
  await inspector.send("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  const terms = await termsOf(worker);
  const payments: string[] = [];
  for (let i = 0; i < CALLS + WARM_UP; i++) payments.push(await signPayment(terms));
  const body = upload(INPUTS.a.make());
  const send = async (path: string, status: number, headers: Record<string, string> = {}) => {
    const response = await fetch(worker.url + path, { method: "POST", headers: { ...FORM, ...headers }, body });
    if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const calls: Record<string, () => Promise<void>> = {
    "an empty Worker": () => send("/empty", 204),
    "unpaid (402)": () => send(TEXT, 402),
    "paid": () => send(TEXT, 200, { "X-PAYMENT": payments.pop()! }),
  };
  console.log("| call | the isolate's own CPU, ms | the runtime's, ms |\n| --- | --- | --- |");
  for (const [name, call] of Object.entries(calls)) {
    for (let i = 0; i < WARM_UP; i++) await call();
    const { own, native } = await profiled(inspector, async () => {
      for (let i = 0; i < CALLS; i++) await call();
    });
    console.log(`| ${name} | ${(own / CALLS).toFixed(2)} | ${(native / CALLS).toFixed(2)} |`);
  }
} finally {
  inspector.close();
  await worker.stop();
  facilitator.stop();
}
