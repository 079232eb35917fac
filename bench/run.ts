/** `npm run bench`: what a call costs, through the running Worker. */
import { callPaid } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { INPUTS } from "./inputs.ts";

const CALLS = 40;

const worker = await startWorker();
try {
  const pdf = new File([INPUTS.a.make()], "ten-pages.pdf");
  const endpoint = `${worker.url}/v1/watermark/text`;
  const call = async () => {
    const form = new FormData();
    form.set("file", pdf);
    form.set("text", "CONFIDENTIAL");
    const start = performance.now();
    const response = await callPaid(endpoint, form);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    return performance.now() - start;
  };

  for (let i = 0; i < 10; i++) await call(); // let the engine warm up
  const before = await worker.cpuMs();
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) times.push(await call());
  const cpu = (await worker.cpuMs()) - before;

  const median = times.toSorted((a, b) => a - b)[CALLS / 2]!;
  console.log(
    `10 pages, ${(pdf.size / 1024).toFixed(0)} KB, text: median ${median.toFixed(1)} ms a call (402, signing and paid call), ` +
      `${(cpu / CALLS).toFixed(1)} ms CPU of the Worker process a call; ${CALLS} calls`,
  );
} finally {
  await worker.stop();
}
