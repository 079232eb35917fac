/**
 * `node bench/text.ts` measures text marks in workerd. For comparison, it also measures pdf-lib with the same fonts. It
 * prints the CPU time of the first mark in an isolate and of later marks, and the bytes added to one page.
 */
import { startWorker } from "../scripts/lib/worker.ts";

const TEXTS = {
  "Latin, 20 characters": "CONFIDENTIAL - DRAFT",
  "Chinese, 20 characters": "本文件仅供内部审阅未经书面许可不得外传复",
};
/**
 * Number of cold starts per median. A single start is too inaccurate, because a process's CPU clock ticks only every 10
 * ms.
 */
const COLD_STARTS = 5;
const WARM_RUNS = { overprint: 100, "pdf-lib": 4 };

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

console.log("| text | engine | cold, ms CPU | warm, ms CPU | bytes added |\n| --- | --- | --- | --- | --- |");
for (const [name, text] of Object.entries(TEXTS))
  for (const [marker, runs] of Object.entries(WARM_RUNS)) {
    const cold: number[] = [];
    let warm = 0;
    let bytes = 0;
    for (let start = 0; start < COLD_STARTS; start++) {
      const worker = await startWorker({}, { entry: "bench/textWorker.ts" });
      try {
        const cpuOf = async (count: number) => {
          const before = await worker.cpuMs();
          const query = new URLSearchParams({ marker, text, runs: String(count) });
          const response = await fetch(`${worker.url}/?${query}`);
          if (!response.ok) throw new Error(await response.text());
          bytes = Number(await response.text());
          return (await worker.cpuMs()) - before;
        };
        cold.push(await cpuOf(1));
        if (start > 0) continue;
        await cpuOf(runs);
        warm = (await cpuOf(runs)) / runs;
      } finally {
        await worker.stop();
      }
    }
    console.log(`| ${name} | ${marker} | ${median(cold)} | ${warm.toFixed(1)} | ${bytes} |`);
  }
