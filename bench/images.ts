/**
 * `node bench/images.ts` measures image marks in workerd, from the image's bytes to a marked page. It prints CPU time
 * and peak memory. For comparison, it prints the same values for pdf-lib's embedPng and embedJpg.
 */
import { startWorker } from "../scripts/lib/worker.ts";
import { IMAGES, type ImageName } from "./imageInputs.ts";

const RUNS = { overprint: 20, "pdf-lib": 2 };

console.log(
  "| image | engine | first, ms CPU | later, ms CPU | workerd's peak, MB more |\n| --- | --- | --- | --- | --- |",
);
for (const name of Object.keys(IMAGES) as ImageName[])
  for (const [marker, runs] of Object.entries(RUNS)) {
    const { title, make } = IMAGES[name];
    const worker = await startWorker({}, { entry: "bench/imageWorker.ts" });
    try {
      const body = new Uint8Array(make());
      const call = async (count: number) => {
        const before = await worker.cpuMs();
        const response = await fetch(`${worker.url}/?${new URLSearchParams({ marker, runs: String(count) })}`, {
          method: "POST",
          body,
        });
        if (!response.ok) throw new Error(await response.text());
        return (await worker.cpuMs()) - before;
      };
      const uploading = await call(0);
      const idleMb = await worker.peakMb();
      const first = Math.max(0, (await call(1)) - uploading);
      const peakMb = (await worker.peakMb()) - idleMb;
      const later = Math.max(0, (await call(runs)) - uploading) / runs;
      console.log(`| ${title} | ${marker} | ${first} | ${later.toFixed(0)} | ${peakMb.toFixed(0)} |`);
    } finally {
      await worker.stop();
    }
  }
