/** Measures a call of the running Worker, upload and storage included: `node bench/call.ts`. */
import { callPaid } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { INPUTS } from "./inputs.ts";

const worker = await startWorker({ MAX_BODY_BYTES: "100000000", MAX_SOURCE_BYTES: "100000000" });
try {
  console.log("Calls of the running Worker (price asked, payment signed, file uploaded, marked, stored)");
  for (const [name, calls] of [
    ["a", 40],
    ["b", 5],
    ["c", 5],
    ["d", 5],
  ] as const) {
    const pdf = new File([INPUTS[name].make()], "input.pdf");
    const call = async () => {
      const form = new FormData();
      form.set("file", pdf);
      form.set("text", "CONFIDENTIAL");
      const start = performance.now();
      const response = await callPaid(`${worker.url}/v1/watermark/text`, form);
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
      return performance.now() - start;
    };

    for (let i = 0; i < Math.min(10, calls); i++) await call(); // warm up
    const before = await worker.cpuMs();
    const times: number[] = [];
    for (let i = 0; i < calls; i++) times.push(await call());
    const cpu = (await worker.cpuMs()) - before;

    const median = times.toSorted((a, b) => a - b)[Math.floor(calls / 2)]!;
    console.log(
      `(${name}) ${INPUTS[name].title}: median ${median.toFixed(0)} ms, ${(cpu / calls).toFixed(1)} ms CPU of the Worker's processes a call, ${calls} calls`,
    );
  }
} finally {
  await worker.stop();
}
