/**
 * `npm run bench:uploads` sends a file of 100 MB to an upload URL. It alternates these uploads with uploads to a Worker
 * that only stores the file in R2. The benchmark prints the CPU and memory of both. It then marks copies of a file in
 * two ways: the file is uploaded once, or it is sent with each call. The benchmark fails if a value exceeds the limits
 * below.
 */
import { request } from "node:http";
import { watchHeap } from "../scripts/lib/heap.ts";
import { callPaid, type Offer, paymentFor, signPayment } from "../scripts/lib/pay.ts";
import { type RunningWorker, startWorker } from "../scripts/lib/worker.ts";
import { scans, textPages } from "./inputs.ts";

const [MOST_TIMES, MOST_MB] = [1.5, 40];
const [ROUNDS, COPIES] = [5, 100];

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const row = (cells: (string | number)[]) => console.log(`| ${cells.join(" | ")} |`);

const put = (url: string, body: Uint8Array) =>
  new Promise<number>((resolve, reject) => {
    const sending = request(url, { method: "PUT", headers: { "Content-Length": body.length } }, (answer) =>
      answer.resume().on("end", () => resolve(answer.statusCode!)),
    );
    sending.on("error", reject).end(body);
  });

async function slotFor(worker: RunningWorker, size: number) {
  const headers = { "X-PAYMENT": await paymentFor(`${worker.url}/v1/watermark/text`) };
  const body = JSON.stringify({ name: "a.pdf", size });
  const answer = await fetch(`${worker.url}/v1/uploads`, { method: "POST", headers, body });
  return (await answer.json()) as { handle: string; upload: { url: string } };
}

async function measureStoring(worker: RunningWorker): Promise<boolean> {
  const file = scans(200, 500_000);
  const heap = await watchHeap(worker.inspectorPort);
  const ways: Record<string, () => Promise<string>> = {
    "stored only": async () => `${worker.url}/store`,
    "upload slot": async () => (await slotFor(worker, file.length)).upload.url,
  };
  const found = Object.fromEntries(
    Object.keys(ways).map((name) => [name, { cpu: [] as number[], mb: [] as number[] }]),
  );
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, urlOf] of Object.entries(ways)) {
      const url = await urlOf();
      await new Promise((resolve) => setTimeout(resolve, 500));
      heap.peakMb();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const [cpu, base] = [await worker.cpuMs(), heap.peakMb()];
      const status = await put(url, file);
      if (status >= 300) throw new Error(`${name}: ${status}`);
      if (round === 0) continue; // the first round only warms up the Worker
      found[name]!.cpu.push(((await worker.cpuMs()) - cpu) / (file.length / 1e6));
      found[name]!.mb.push(heap.peakMb() - base);
    }
  heap.stop();
  console.log(
    `A file of ${(file.length / 1e6).toFixed(0)} MB: CPU of workerd including its R2, and memory of the isolate\n`,
  );
  row(["", "ms of CPU per MB", "peak memory in MB"]);
  row(Array(3).fill("---"));
  for (const [name, { cpu, mb }] of Object.entries(found))
    row([name, median(cpu).toFixed(1), Math.max(...mb).toFixed(1)]);
  const times = median(found["upload slot"]!.cpu) / median(found["stored only"]!.cpu);
  console.log(`\n${times.toFixed(2)} times the CPU`);
  return times <= MOST_TIMES && Math.max(...found["upload slot"]!.mb) < MOST_MB;
}

/** Measures both ways of marking copies alternately, so that other load on the machine affects both ways alike. */
async function measureCopies(worker: RunningWorker, title: string, pdf: Uint8Array<ArrayBuffer>): Promise<void> {
  const endpoint = `${worker.url}/v1/watermark/text`;
  const terms = (await (await fetch(endpoint, { method: "POST" })).json()) as { accepts: Offer[] };
  const totals = { form: { seconds: 0, cpu: 0 }, upload: { seconds: 0, cpu: 0 } };
  const timed = async (way: keyof typeof totals, act: () => Promise<unknown>) => {
    const [began, cpu] = [performance.now(), await worker.cpuMs()];
    await act();
    totals[way].seconds += (performance.now() - began) / 1000;
    totals[way].cpu += ((await worker.cpuMs()) - cpu) / 1000;
  };
  const mark = async (fields: FormData | Record<string, unknown>) => {
    const answer = await callPaid(endpoint, fields, await signPayment(terms.accepts[0]!));
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  };
  let handle = "";
  await timed("upload", async () => {
    const slot = await slotFor(worker, pdf.length);
    await put(slot.upload.url, pdf);
    handle = slot.handle;
  });
  for (let copy = 0; copy < COPIES; copy++) {
    const text = `Copy ${copy}`;
    const form = new FormData();
    form.set("file", new File([pdf], "a.pdf"));
    form.set("text", text);
    await timed("form", () => mark(form));
    await timed("upload", () => mark({ file: handle, text }));
  }
  const { form, upload } = totals;
  const told = ({ seconds, cpu }: typeof form) => `${seconds.toFixed(1)} (${cpu.toFixed(1)} of CPU)`;
  row([title, told(form), told(upload), (form.seconds / upload.seconds).toFixed(2)]);
}

const worker = await startWorker({ MAX_LARGE_FILES: "1" }, { entry: "bench/uploadsWorker.ts" });
try {
  const isMet = await measureStoring(worker);
  console.log(`\n${COPIES} copies of a file, in seconds\n`);
  row(["file", `${COPIES} forms`, "one upload", "times as fast"]);
  row(Array(4).fill("---"));
  await measureCopies(worker, "10 pages, 100 KB", textPages(10, 10_000, "classic"));
  await measureCopies(worker, "scans, 10 MB", scans(20, 500_000));
  process.exitCode = isMet ? 0 : 1;
} finally {
  await worker.stop();
}
