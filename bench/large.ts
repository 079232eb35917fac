/**
 * `node bench/large.ts` sends large files from a local server through the running Worker, one after the other and
 * several at once. It prints seconds, CPU and memory of workerd. The outputs stay in `out/` for inspection.
 */
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { watchHeap } from "../scripts/lib/heap.ts";
import { callPaid } from "../scripts/lib/pay.ts";
import { startWorker } from "../scripts/lib/worker.ts";
import { linkedPages, scans } from "./inputs.ts";

const FILES: Record<string, () => Uint8Array> = {
  "scans-1gb.pdf": () => scans(1960, 510_000),
  "pages-50000.pdf": () => linkedPages(50_000),
};
const AT_ONCE = 4;

// V8 delays garbage collection until memory is short, so the benchmark limits the heap as the edge does
process.env.MINIFLARE_WORKERD_V8_FLAGS = "--max-heap-size=96";

const folder = await mkdtemp(join(tmpdir(), "overprint-large-"));
const server = createServer(async ({ url = "" }, response) => {
  const path = join(folder, basename(url));
  response.setHeader("Content-Length", (await stat(path)).size);
  createReadStream(path).pipe(response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
const worker = await startWorker({ ALLOW_LOOPBACK_SOURCES: "true", MAX_SOURCE_BYTES: "1100000000" });
const heap = await watchHeap(worker.inspectorPort);
const out = join(import.meta.dirname, "../out");
await mkdir(out, { recursive: true });

try {
  for (const [name, make] of Object.entries(FILES)) await writeFile(join(folder, name), make());
  const mark = (name: string) =>
    callPaid(`${worker.url}/v1/watermark/text`, { file: `http://127.0.0.1:${port}/${name}`, text: "CONFIDENTIAL" });

  const upload = async () => {
    const form = new FormData();
    form.set("file", new File([scans(180, 510_000)], "scans-90mb.pdf"));
    form.set("text", "CONFIDENTIAL");
    heap.peakMb();
    const response = await callPaid(`${worker.url}/v1/watermark/text`, form);
    console.log(`upload of 90 MB: ${response.status}, heap and buffers at most ${heap.peakMb().toFixed(0)} MB`);
  };
  await upload();
  for (const name of Object.keys(FILES)) {
    const gb = (await stat(join(folder, name))).size / 1e9;
    const [began, cpuBefore] = [performance.now(), await worker.cpuMs()];
    heap.peakMb();
    const response = await mark(name);
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    const [seconds, cpu] = [(performance.now() - began) / 1000, ((await worker.cpuMs()) - cpuBefore) / 1000];
    console.log(
      `${name}, ${gb.toFixed(2)} GB: ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s CPU (${(cpu / gb).toFixed(1)} a GB), heap and buffers at most ${heap.peakMb().toFixed(0)} MB, workerd ${(await worker.peakMb()).toFixed(0)} MB`,
    );
    const { output } = JSON.parse(answer) as { output: { url: string } };
    await writeFile(join(out, name), (await fetch(output.url)).body!);
  }

  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => mark("scans-1gb.pdf")));
  const statuses = await Promise.all(
    answers.map(async (answer) => `${answer.status} ${((await answer.json()) as { code?: string }).code ?? ""}`),
  );
  console.log(`${AT_ONCE} at once: ${statuses.join(", ")}; heap and buffers at most ${heap.peakMb().toFixed(0)} MB`);
} finally {
  heap.stop();
  await worker.stop();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
}
