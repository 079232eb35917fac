/** Tests uploads with curl, and uploads by attackers. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { textPages } from "../../bench/inputs.ts";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { UPLOADS } from "../../src/settings/limits.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

const run = promisify(execFile);
const PAGES = 40;
const pdf = textPages(PAGES, 10_000, "classic");
const isInk = ([r, g, b]: [number, number, number]) => r > 230 && g < 200 && b > 230;

let worker: StartedWorker;
let dir: string;
beforeAll(async () => {
  worker = await startWorker({ SPOOL_THRESHOLD_BYTES: "100000" }, { entry: "test/e2e/spoolWorker.js" });
  dir = await mkdtemp(join(tmpdir(), "overprint-"));
});
afterAll(async () => {
  await worker?.stop();
  await rm(dir, { recursive: true, force: true });
});

const endpoint = () => `${worker.url}/v1/watermark/text`;
const FIELDS = { text: "MARK", color: "#ff00ff", opacity: "1" };

/** A header for a separate connection, so that the Worker cannot close a connection that a test is about to reuse. */
const ALONE = { Connection: "close" };

interface Offered {
  handle: string;
  upload: { url: string };
  curl: string;
}
async function open(fields: object, headers: Record<string, string> = {}): Promise<Offered> {
  const init = { method: "POST", body: JSON.stringify(fields), headers: { ...headers, ...ALONE } };
  return (await (await fetch(`${worker.url}/v1/uploads`, init)).json()) as Offered;
}
const kept = async () => (await (await fetch(`${worker.url}/uploads`, { headers: ALONE })).json()) as string[];
/** Returns the number of an upload's stored objects: its record, and its file once it was sent. */
const keptOf = async ({ upload }: Offered) =>
  (await kept()).filter((key) => key.includes(upload.url.split("/").at(-1)!)).length;
const put = (url: string, body: BodyInit) => fetch(url, { method: "PUT", body, headers: ALONE });
const mark = (file: string) => callPaid(endpoint(), { file, ...FIELDS, opacity: 1 });

async function expectMarked(answer: { output: { url: string } }): Promise<void> {
  const marked = new Uint8Array(await (await fetch(answer.output.url)).arrayBuffer());
  const rendered = await render(marked, { scale: 0.5 });
  expect(rendered).toHaveLength(PAGES);
  for (const page of rendered) expect(page.boxOf(isInk)).toBeDefined();
}

describe("uploads by curl", () => {
  test("the command in the upload answer sends a local file with curl, and the file can be marked repeatedly", async () => {
    const name = "it's {my} [1-9] file.pdf";
    await writeFile(join(dir, name), pdf);
    const { handle, curl } = await open({ name, size: pdf.length });
    const { stdout } = await run("sh", ["-c", curl.replace("curl ", "curl -s ")], { cwd: dir });
    expect(JSON.parse(stdout)).toMatchObject({ bytes: pdf.length });
    for (let copy = 0; copy < 3; copy++)
      await expectMarked((await (await mark(handle)).json()) as { output: { url: string } });
    await vi.waitFor(async () => expect(await (await fetch(`${worker.url}/spool`)).json()).toEqual([]), 20_000);
  });

  test("curl sends a local file as the body of a call", async () => {
    await writeFile(join(dir, "a.pdf"), pdf);
    const url = `${endpoint()}?${new URLSearchParams(FIELDS)}`;
    const headers = ["-H", `X-PAYMENT: ${await paymentFor(endpoint())}`, "-H", "Content-Type: application/pdf"];
    const { stdout } = await run("curl", ["-s", url, ...headers, "--data-binary", "@a.pdf"], { cwd: dir });
    await expectMarked(JSON.parse(stdout));
  });

  test("curl pays for the upload of a large file, and the same payment then buys the marked file", async () => {
    const large = Buffer.concat([pdf.subarray(0, 9), Buffer.alloc(12_000_000, "%\n"), pdf.subarray(9)]);
    await writeFile(join(dir, "large.pdf"), large);
    const fields = { name: "large.pdf", size: large.length };
    expect(await open(fields)).toMatchObject({ x402Version: 1 });
    const payment = await paymentFor(endpoint());
    const { handle, curl } = await open(fields, { "X-PAYMENT": payment });
    await run("sh", ["-c", curl], { cwd: dir });
    const answer = await callPaid(endpoint(), { file: handle, ...FIELDS, opacity: 1 }, payment);
    expect(await answer.json()).toMatchObject({ output: { pages: PAGES } });
  });
});

describe("an upload in parts by curl", () => {
  test("the command in the upload answer sends only the missing parts of a file with curl", async () => {
    const name = "it's {my} [1-9] large file.pdf";
    const large = Buffer.alloc(UPLOADS.wholeBytes + 1, "\n");
    large.set(pdf);
    await writeFile(join(dir, name), large);
    const payment = await paymentFor(endpoint());
    const { handle, upload, curl } = await open({ name, size: large.length }, { "X-PAYMENT": payment });
    expect((await put(`${upload.url}/parts/1`, large.subarray(0, UPLOADS.partBytes))).status).toBe(200);
    const { stdout } = await run("sh", ["-c", curl], { cwd: dir });
    const answers = stdout.split(/(?<=\})/).map((line) => JSON.parse(line) as object);
    expect(answers).toEqual([
      expect.objectContaining({ number: 2, bytes: large.length - UPLOADS.partBytes }),
      expect.objectContaining({ bytes: large.length, parts_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
    expect(await (await mark(handle)).json()).toMatchObject({ output: { pages: PAGES } });
  });
});

describe.concurrent("hostile uploads", () => {
  /** Opens a connection and sends the headers of a PUT request with this Content-Length. */
  function begin(url: string, announced: number): Socket {
    const { hostname, port, host, pathname } = new URL(url);
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${announced}\r\n\r\n`);
    return socket;
  }

  /** Sends `body`, and disconnects after `ms` milliseconds without waiting for an answer. */
  async function hangUp(url: string, body: Uint8Array, ms: number): Promise<void> {
    const socket = begin(url, pdf.length);
    await new Promise<void>((resolve) => socket.write(body, () => setTimeout(resolve, ms)));
    socket.resetAndDestroy();
  }

  /** Sends the beginning of a body, followed by the bytes that `drip` writes. Returns the Worker's answer. */
  function send(url: string, announced: number, body: Uint8Array, drip: (write: (bytes: Uint8Array) => void) => void) {
    const socket = begin(url, announced);
    socket.write(body);
    drip((bytes) => socket.writable && socket.write(bytes));
    return new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (data) => {
        text += data.toString();
        if (text.includes('"request_id"')) {
          socket.destroy();
          resolve(text);
        }
      });
      socket.on("close", () => resolve(text));
    });
  }

  test.each([
    ["stops", () => {}],
    ["drips", (write: (bytes: Uint8Array) => void) => setInterval(() => write(new Uint8Array(100)), 200).unref()],
  ])("an upload whose body %s times out, and the file can be sent again", async (_, drip) => {
    const offered = await open({ size: pdf.length });
    const answer = await send(offered.upload.url, pdf.length, pdf.subarray(0, 100_000), drip);
    expect(answer).toMatch(/^HTTP\/1.1 408 .*"code":"body_timeout"/s);
    await vi.waitFor(async () => expect(await keptOf(offered)).toBe(1), 20_000);
    expect((await put(offered.upload.url, pdf)).status).toBe(200);
  });

  test("a truncated upload stores no file, and the file can be sent again", async () => {
    const offered = await open({ size: pdf.length });
    await hangUp(offered.upload.url, pdf.subarray(0, 300_000), 300);
    await vi.waitFor(async () => expect(await keptOf(offered)).toBe(1), 20_000);
    expect((await put(offered.upload.url, pdf)).status).toBe(200);
    expect(await (await mark(offered.handle)).json()).toMatchObject({ output: { pages: PAGES } });
  });

  test("the Worker stores at most one file if 40 senders disconnect at the end of their bodies", async () => {
    const offered = await open({ size: pdf.length });
    await Promise.all(Array.from({ length: 40 }, (_, at) => hangUp(offered.upload.url, pdf, 30 * at)));
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await keptOf(offered)).toBeLessThanOrEqual(2);
  });

  test("the Worker rejects a long upload of a wrong file type after the first bytes", async () => {
    const offered = await open({});
    const zip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(5000)]);
    const answer = await send(offered.upload.url, 9_000_000, zip, () => {});
    expect(answer).toMatch(/^HTTP\/1.1 422 .*"code":"not_a_pdf"/s);
    expect(await keptOf(offered)).toBe(1);
  });

  test("only one of 20 concurrent senders to an upload URL succeeds, and the others leave nothing stored", async () => {
    const offered = await open({ size: pdf.length });
    const bodies = Array.from({ length: 20 }, (_, at) => Buffer.concat([pdf.subarray(0, -1), Buffer.from([at])]));
    const answers = await Promise.all(bodies.map(async (body) => (await put(offered.upload.url, body)).status));
    const refusals = answers.filter((status) => status !== 200);
    expect(refusals).toHaveLength(19);
    // The answer is 409 if another sender was first, and 429 at the limit of concurrent files.
    for (const status of refusals) expect(status).toBeOneOf([409, 429]);
    await vi.waitFor(async () => expect(await keptOf(offered)).toBe(2), 20_000);
  });

  test("slow senders do not block other uploads", async () => {
    const offers = await Promise.all(Array.from({ length: 40 }, () => open({ size: pdf.length })));
    const slow = offers.map(({ upload }) => send(upload.url, pdf.length, pdf.subarray(0, 100_000), () => {}));
    const other = await open({ size: pdf.length });
    expect((await put(other.upload.url, pdf)).status).toBe(200);
    expect((await mark(other.handle)).status).toBe(200);
    for (const answer of await Promise.all(slow)) expect(answer).toContain("body_timeout");
    await vi.waitFor(async () => expect(await Promise.all(offers.map(keptOf))).toEqual(Array(40).fill(1)), 30_000);
  });
});
