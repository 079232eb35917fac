/**
 * `npm run check:uploads` sends a file of 1 GB in parts to the running Worker, and the same parts to a Worker that only
 * stores them in R2. The two kinds of uploads alternate. The script prints the CPU per MB of both and the memory of the
 * isolate. It then breaks a connection, and resumes the upload with the curl command of the answer. It fails if a value
 * exceeds the limits below, or if the upload does not resume.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UPLOADS } from "../src/settings/limits.ts";
import { partRanges } from "../src/shared/partRanges.ts";
import { watchHeap } from "./lib/heap.ts";
import { callPaid, paymentFor } from "./lib/pay.ts";
import { sampleContract } from "./lib/sampleContract.ts";
import { type RunningWorker, startWorker } from "./lib/worker.ts";

/** Maximum CPU, as a multiple of the CPU of the Worker that only stores the parts. */
const MOST_TIMES = 1.3;
/** Maximum memory of the isolate above its memory before the upload, in MB. */
const MOST_MB = 40;
const SIZE = 1_000_000_000;
const ROUNDS = 2;
/** V8 delays garbage collection until memory is short, so the script limits the heap as the edge does. */
const MAX_HEAP_MB = 96;

const RANGES = partRanges(SIZE, UPLOADS.partBytes);
/** Number of the part whose connection breaks, and number of its bytes that are sent before the break. */
const BROKEN = { number: 20, bytes: 10_000_000 };

/** The answer to a request for an upload. */
interface Offered {
  handle: string;
  parts: { urls: string[]; complete: string };
  curl: string;
}

const contract = await sampleContract();
const part = Buffer.alloc(UPLOADS.partBytes, " ");
const first = Buffer.from(part);
first.set(contract);
/** Returns the bytes of a part. The first part begins with a PDF. All other bytes are spaces. */
const bytesOf = ({ number, start, end }: (typeof RANGES)[number]) =>
  (number === 1 ? first : part).subarray(0, end - start);

/** Sends a part. Breaks the connection after `breaksAt` bytes. Returns the answer's text. */
function put(url: string, body: Uint8Array, breaksAt?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: "PUT", headers: { "Content-Length": body.length } }, async (answer) => {
      const text = (await answer.toArray()).join("");
      if (answer.statusCode! < 300) resolve(text);
      else reject(new Error(`${answer.statusCode} ${text}`));
    });
    sending.on("error", reject);
    if (breaksAt === undefined) sending.end(body);
    else sending.write(body.subarray(0, breaksAt), () => sending.destroy(new Error("broken off")));
  });
}

async function openUpload(worker: RunningWorker): Promise<Offered> {
  const headers = { "X-PAYMENT": await paymentFor(`${worker.url}/v1/watermark/text`) };
  const body = JSON.stringify({ name: "large.pdf", size: SIZE });
  return (await (await fetch(`${worker.url}/v1/uploads`, { method: "POST", headers, body })).json()) as Offered;
}

async function storeOnly(worker: RunningWorker): Promise<void> {
  const id = await (await fetch(`${worker.url}/store-part`)).text();
  for (const range of RANGES) await put(`${worker.url}/store-part?id=${id}&number=${range.number}`, bytesOf(range));
}

async function upload(worker: RunningWorker): Promise<void> {
  const { parts } = await openUpload(worker);
  for (const range of RANGES) await put(parts.urls[range.number - 1]!, bytesOf(range));
  const answer = await fetch(parts.complete, { method: "POST" });
  if (!answer.ok) throw new Error(await answer.text());
}

async function measure(worker: RunningWorker): Promise<boolean> {
  const heap = await watchHeap(worker.inspectorPort);
  const ways = { "stored only": storeOnly, "upload in parts": upload };
  const found = Object.fromEntries(
    Object.keys(ways).map((name) => [name, { cpu: [] as number[], mb: [] as number[] }]),
  );
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, send] of Object.entries(ways)) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      heap.peakMb();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const [cpu, base] = [await worker.cpuMs(), heap.peakMb()];
      await send(worker);
      found[name]!.cpu.push(((await worker.cpuMs()) - cpu) / (SIZE / 1e6));
      found[name]!.mb.push(heap.peakMb() - base);
    }
  heap.stop();
  for (const [name, { cpu, mb }] of Object.entries(found))
    console.log(
      `${name}: ${Math.min(...cpu).toFixed(2)} ms of CPU per MB, at most ${Math.max(...mb).toFixed(1)} MB above the base`,
    );
  const [base, own] = Object.values(found) as [{ cpu: number[] }, { cpu: number[]; mb: number[] }];
  const times = Math.min(...own.cpu) / Math.min(...base.cpu);
  console.log(`${times.toFixed(2)} times the CPU (at most ${MOST_TIMES}), memory at most ${MOST_MB} MB`);
  return times <= MOST_TIMES && Math.max(...own.mb) < MOST_MB;
}

/**
 * Breaks an upload in the middle, resumes the upload with curl, and marks the file. Returns whether curl sends only the
 * missing parts.
 */
async function resume(worker: RunningWorker): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-"));
  try {
    const file = await open(join(folder, "large.pdf"), "w");
    for (const range of RANGES) await file.write(bytesOf(range), 0, range.end - range.start, range.start);
    await file.close();
    const { handle, parts, curl } = await openUpload(worker);
    for (const range of RANGES.slice(0, BROKEN.number - 1)) await put(parts.urls[range.number - 1]!, bytesOf(range));
    const broken = RANGES[BROKEN.number - 1]!;
    await put(parts.urls[BROKEN.number - 1]!, bytesOf(broken), BROKEN.bytes).catch(() => undefined);

    const shell = spawn("sh", ["-c", curl], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    const lines = (await shell.stdout.toArray()).join("").split(/(?<=\})/);
    const sent = lines.map((line) => JSON.parse(line) as { number?: number; parts_sha256?: string });
    const digests = createHash("sha256");
    for (const range of RANGES) digests.update(createHash("sha256").update(bytesOf(range)).digest());
    const isWhole = sent.at(-1)?.parts_sha256 === digests.digest("hex");
    const isOnlyMissing = sent.length === 1 + RANGES.length - (BROKEN.number - 1);
    const marked = await callPaid(`${worker.url}/v1/watermark/text`, { file: handle, text: "DRAFT" });
    console.log(
      `curl after a broken connection: sent ${sent.length - 1} of ${RANGES.length} parts, identity ${isWhole ? "right" : "wrong"}, marked with ${marked.status}`,
    );
    return isWhole && isOnlyMissing && marked.ok;
  } finally {
    await rm(folder, { recursive: true });
  }
}

process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${MAX_HEAP_MB}`;
const worker = await startWorker({ UNCHARGED_BYTES_PER_HOUR: String(10 * SIZE) }, { entry: "bench/uploadsWorker.ts" });
try {
  const isMet = await measure(worker);
  const resumes = await resume(worker);
  process.exitCode = isMet && resumes ? 0 : 1;
} finally {
  await worker.stop();
}
