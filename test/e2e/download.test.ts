import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getDocument } from "unpdf/pdfjs";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { textPages } from "../../bench/inputs.ts";
import { callPaid } from "../../scripts/lib/pay.ts";
import { result } from "../../src/service/request/schemas.ts";
import { RATE_LIMITS } from "../../src/settings/limits.ts";
import { onePage } from "../support/pdf.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const PAGES = 1000;

let worker: StartedWorker;
let url: string;
let file: Buffer;
beforeAll(async () => {
  worker = await startWorker();
  url = await marked(textPages(PAGES, 10_000, "classic"), { filename: "Vertrag №7" }); // The file has about 10 MB.
  file = Buffer.from(await (await fetch(url)).arrayBuffer());
});
afterAll(() => worker?.stop());
afterEach(() => vi.restoreAllMocks());

/** Marks a file and returns the download link of the result. */
async function marked(pdf: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): Promise<string> {
  const form = new FormData();
  form.set("file", new File([pdf], "a.pdf"));
  form.set("text", "CONFIDENTIAL");
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await callPaid(`${worker.url}/v1/watermark/text`, form);
  expect(response.status).toBe(200);
  return result.parse(await response.json()).output.url;
}

interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}
type Client = (method: "GET" | "HEAD", headers: Record<string, string>) => Promise<Answer>;

const withFetch: Client = async (method, headers) => {
  const response = await fetch(url, { method, headers });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
};

const run = promisify(execFile);
const withCurl: Client = async (method, headers) => {
  const given = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const flags = ["-sS", "--noproxy", "*", method === "HEAD" ? "--head" : "--include"];
  const { stdout } = await run("curl", [...flags, ...given, url], { encoding: "buffer", maxBuffer: 1 << 26 });
  const end = stdout.indexOf("\r\n\r\n");
  const [status, ...lines] = stdout.toString("latin1", 0, end).split("\r\n");
  const pairs = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]);
  return {
    status: Number(status!.split(" ")[1]),
    headers: new Headers(pairs as [string, string][]),
    body: stdout.subarray(end + 4),
  };
};
const curlIsHere = await run("curl", ["--version"]).then(
  () => true,
  () => false,
);

describe.each([["fetch", withFetch], ...(curlIsHere ? [["curl", withCurl] as const] : [])] as const)("%s", (_, ask) => {
  test("HEAD on a download link returns the file's size and name, and says that ranges are supported", async () => {
    const { status, headers, body } = await ask("HEAD", {});
    expect([status, body.length]).toEqual([200, 0]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-length": String(file.length),
      "accept-ranges": "bytes",
      "content-type": "application/pdf",
      "content-disposition": "attachment; filename=\"Vertrag ?7.pdf\"; filename*=UTF-8''Vertrag%20%E2%84%967.pdf",
    });
  });

  test("HEAD on a download link ignores a Range header", async () => {
    const { status, headers } = await ask("HEAD", { Range: "bytes=0-9" });
    expect([status, headers.get("Content-Length")]).toEqual([200, String(file.length)]);
  });

  test.each<[string, (size: number) => [number, number]]>([
    ["bytes=0-0", () => [0, 1]],
    ["bytes=100-199", () => [100, 200]],
    ["bytes=5000000-", (size) => [5_000_000, size]],
    ["bytes=-1024", (size) => [size - 1024, size]],
    ["bytes=-99999999", (size) => [0, size]],
    ["bytes=0-99999999", (size) => [0, size]],
  ])("a download returns the requested range: %s", async (Range, expected) => {
    const { status, headers, body } = await ask("GET", { Range });
    const [from, to] = expected(file.length);
    expect(status).toBe(206);
    expect(headers.get("Content-Range")).toBe(`bytes ${from}-${to - 1}/${file.length}`);
    expect(headers.get("Content-Length")).toBe(String(to - from));
    expect(body.equals(file.subarray(from, to))).toBe(true);
  });

  test.each(["bytes=99999999-", "bytes=-0"])(
    "a download link answers 416 with the file size to a range beyond the end: %s",
    async (Range) => {
      const { status, headers } = await ask("GET", { Range });
      expect([status, headers.get("Content-Range")]).toEqual([416, `bytes */${file.length}`]);
    },
  );

  test("a download link returns the complete file for several ranges or an outdated If-Range", async () => {
    for (const headers of [{ Range: "bytes=0-1,5-6" }, { Range: "bytes=0-1", "If-Range": '"another"' }]) {
      const { status, body } = await ask("GET", headers);
      expect([status, body.equals(file)]).toEqual([200, true]);
    }
  });

  test("a download honors If-Range, If-Match and If-None-Match", async () => {
    const { headers } = await ask("HEAD", {});
    for (const validator of ["ETag", "Last-Modified"]) {
      const { status, body } = await ask("GET", { Range: "bytes=9-", "If-Range": headers.get(validator)! });
      expect([status, body.equals(file.subarray(9))]).toEqual([206, true]);
    }
    const wrong = await ask("GET", { Range: "bytes=9-", "If-Match": '"another"' });
    expect(wrong.status).toBe(412);
    const current = await ask("GET", { "If-None-Match": headers.get("ETag")! });
    expect([current.status, current.body.length]).toEqual([304, 0]);
  });
});

test("pdf.js shows a page in the middle of a file by range requests, without downloading the complete file", async () => {
  const answers: { range: string | null; status: number; bytes: number }[] = [];
  const real = globalThis.fetch;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const response = await real(input, init);
    const range = new Headers(init?.headers).get("Range");
    answers.push({ range, status: response.status, bytes: Number(response.headers.get("Content-Length")) });
    return response;
  });
  const document = await getDocument({ url, disableStream: true, disableAutoFetch: true, rangeChunkSize: 65_536 })
    .promise;
  expect(document.numPages).toBe(PAGES);
  const text = await textOf(document, PAGES / 2);
  await document.loadingTask.destroy();

  const [first, ...ranges] = answers;
  // pdf.js aborts the first request when it learns that the server supports ranges
  expect(first).toMatchObject({ range: null, status: 200 });
  expect(ranges.length).toBeGreaterThan(1);
  expect(new Set(ranges.map(({ status }) => status))).toEqual(new Set([206]));
  expect(ranges.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(file.length / 5);

  const whole = await getDocument({ data: new Uint8Array(file) }).promise;
  expect(text).toBe(await textOf(whole, PAGES / 2));
  expect(text).toContain("CONFIDENTIAL");
  await whole.loadingTask.destroy();
});

async function textOf(document: Awaited<ReturnType<typeof getDocument>["promise"]>, page: number): Promise<string> {
  const { items } = await (await document.getPage(page)).getTextContent();
  return items.map((item) => ("str" in item ? item.str : "")).join("\n");
}

test("the Worker answers 410 to a request for a revoked link", async () => {
  const link = await marked(onePage);
  expect((await fetch(link, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(link)).status).toBe(410);
});

test("after many wrong tokens from one address, the runtime's rate limiter answers 429, but the link's right token still works", async () => {
  // Only a development server accepts this header from a caller.
  const headers = { "CF-Connecting-IP": "203.0.113.7" };
  const guesses: number[] = [];
  for (let guess = 0; guess <= 2 * RATE_LIMITS.wrongTokens; guess++) {
    const response = await fetch(url.replace(/token=.*/, `token=${guess}`), { headers });
    await response.body?.cancel();
    guesses.push(response.status);
  }
  expect(new Set(guesses)).toEqual(new Set([403, 429]));
  expect((await fetch(url, { method: "HEAD", headers })).status).toBe(200);
});

// This test runs last, because the sweep also deletes the links of other tests.
test("the scheduled sweep deletes expired download links and keeps valid links", async () => {
  const link = await marked(onePage);
  const sweepAt = (time: number) => fetch(`${worker.url}/cdn-cgi/local/scheduled?time=${time}`);
  expect(await (await sweepAt(Date.now())).text()).toBe("ok");
  expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
  expect(await (await sweepAt(Date.now() + 26 * 3_600_000)).text()).toBe("ok");
  expect((await fetch(link, { method: "HEAD" })).status).toBe(404);
});
