/**
 * Measures calls of the running Worker, upload and storage included, beside their floor: a Worker that stores the same body
 * in R2 and copies it once. By turns, in one run: `node bench/call.ts`.
 */
import { callPaid } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { INPUTS } from "./inputs.ts";

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const worker = await startWorker(
  { MAX_BODY_BYTES: "100000000", MAX_SOURCE_BYTES: "100000000" },
  { entry: "bench/callWorker.ts" },
);
/** Returns the CPU of workerd and the time that a call takes, in milliseconds. */
async function measured(call: () => Promise<Response>): Promise<{ cpu: number; ms: number }> {
  const [cpu, start] = [await worker.cpuMs(), performance.now()];
  const response = await call();
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return { ms: performance.now() - start, cpu: (await worker.cpuMs()) - cpu };
}
try {
  console.log(
    "Calls of the running Worker (price asked, payment signed, file uploaded, marked, stored), R2 included\n",
  );
  console.log("| input | call, ms | CPU, ms | floor, ms | CPU, ms | CPU, times the floor |\n|---|---|---|---|---|---|");
  for (const [name, calls] of [
    ["a", 40],
    ["b", 7],
    ["c", 7],
    ["d", 7],
  ] as const) {
    const pdf = new File([INPUTS[name].make()], "input.pdf");
    const form = new FormData();
    form.set("file", pdf);
    form.set("text", "CONFIDENTIAL");
    const whole: Awaited<ReturnType<typeof measured>>[] = [];
    const floor: typeof whole = [];
    for (let i = 0; i < calls + 2; i++) {
      whole.push(await measured(() => callPaid(`${worker.url}/v1/watermark/text`, form)));
      floor.push(
        await measured(async () => {
          const { headers, body } = new Response(form);
          return fetch(`${worker.url}/floor`, {
            method: "POST",
            headers,
            body: await new Response(body).arrayBuffer(),
          });
        }),
      );
    }
    const of = (runs: typeof whole, what: "cpu" | "ms") => median(runs.slice(2).map((run) => run[what])); // two to warm up
    const cells = [of(whole, "ms"), of(whole, "cpu"), of(floor, "ms"), of(floor, "cpu")].map((ms) => ms.toFixed(0));
    console.log(
      `| (${name}) ${INPUTS[name].title} | ${cells.join(" | ")} | ${(of(whole, "cpu") / of(floor, "cpu")).toFixed(2)} |`,
    );
  }
} finally {
  await worker.stop();
}
