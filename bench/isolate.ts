/**
 * `npm run bench:isolate` measures the isolate's own CPU of a warm call, paid and unpaid, with a file of 10 pages and a
 * Latin text. It also measures an empty answer for comparison. V8's profiler samples the Worker's isolate every 0.1 ms
 * during consecutive calls. A sample counts as own CPU if it is in the Worker's code or in its garbage collector. R2
 * and the facilitator are not included, because they run in a separate isolate and a separate process. The payments
 * are signed before the measurement, and the Worker signs its offers. The storage of Durable Objects (one SQLite file
 * each) and the runtime's native code have separate columns. A paid call starts a Durable Object for its payment. The
 * profiler attributes this start to the code that first calls the object. A separate row therefore shows the cost of
 * starting an object that does nothing.
 */

import { generatePrivateKey } from "viem/accounts";
import { type Inspector, openInspector } from "../scripts/lib/inspector.ts";
import { signPayment } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { FORM, TEXT, termsOf, upload } from "./attacks.ts";
import { INPUTS } from "./inputs.ts";
import { startFacilitator } from "./startFacilitator.ts";

/** Number of calls without a payment. It is large, because each call takes less than a millisecond. */
const FREE_CALLS = 2000;
const PAID_CALLS = 200;
const WARM_UP = 100;
const INTERVAL_US = 100;

/** Native functions of the simulated storage of Durable Objects. */
const STORAGE = new Set(["put", "get", "delete", "list", "exec", "deleteAll", "setAlarm", "getAlarm", "deleteAlarm"]);

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  /** For each sample, the time since the previous sample in microseconds. */
  timeDeltas: number[];
}

/**
 * Returns the milliseconds spent in the isolate's own code, in the storage and in the runtime, summed over all `calls`.
 */
async function profiled(inspector: Inspector, calls: () => Promise<void>) {
  await inspector.send("Profiler.start");
  await calls();
  const { profile } = await inspector.send<{ profile: Profile }>("Profiler.stop");
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const total = { own: 0, storage: 0, native: 0 };
  for (const [at, id] of profile.samples.entries()) {
    const { functionName, url } = frames.get(id)!;
    if (functionName === "(idle)") continue;
    const isStorage = url === "" && STORAGE.has(functionName);
    // caps the time of a sample, because a sample may include a pause of the profiler while other threads ran
    const ms = Math.min(profile.timeDeltas[at]!, 2 * INTERVAL_US) / 1000;
    total[isStorage ? "storage" : functionName === "(program)" ? "native" : "own"] += ms;
  }
  return total;
}

const facilitator = await startFacilitator();
const worker = await startWorker(
  { FACILITATOR_URL: facilitator.url, PAY_TO: `0x${"aa".repeat(20)}`, RECEIPT_KEY: generatePrivateKey() },
  { entry: "bench/callWorker.ts" },
);
const inspector = await openInspector(worker.inspectorPort);
try {
  await inspector.send("Profiler.enable");
  await inspector.send("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  const terms = await termsOf(worker);
  const payments: string[] = [];
  /**
   * Signs the payments shortly before they are used, because they expire. Each payment has a different payer, so no
   * call repeats an earlier call.
   */
  const signPayments = async () => {
    for (let i = 0; i < PAID_CALLS + WARM_UP; i++) payments.push(await signPayment(terms, generatePrivateKey()));
  };
  const body = upload(INPUTS.a.make());
  const send = async (path: string, status: number, headers: Record<string, string> = {}) => {
    const response = await fetch(worker.url + path, { method: "POST", headers: { ...FORM, ...headers }, body });
    if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const rows: { name: string; calls: number; call: () => Promise<void>; prepare?: () => Promise<void> }[] = [
    { name: "an empty Worker", calls: FREE_CALLS, call: () => send("/empty", 204) },
    { name: "a Durable Object, started", calls: PAID_CALLS, call: () => send("/object", 204) },
    { name: "unpaid (402)", calls: FREE_CALLS, call: () => send(TEXT, 402) },
    {
      name: "paid",
      calls: PAID_CALLS,
      call: () => send(TEXT, 200, { "X-PAYMENT": payments.pop()! }),
      prepare: signPayments,
    },
  ];
  console.log("| call | the isolate's own CPU, ms | storage | native |\n| --- | --- | --- | --- |");
  for (const { name, calls, call, prepare } of rows) {
    await prepare?.();
    for (let i = 0; i < WARM_UP; i++) await call();
    const total = await profiled(inspector, async () => {
      for (let i = 0; i < calls; i++) await call();
    });
    const cells = [total.own, total.storage, total.native].map((ms) => (ms / calls).toFixed(2));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
} finally {
  inspector.close();
  await worker.stop();
  facilitator.stop();
}
