import { createServer, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { textPages } from "../../bench/inputs.ts";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { farContents } from "../engine/pdf/fixture.ts";
import { HOSTILE_ANSWERS } from "../support/hostileAnswers.ts";
import { type RawServer, startRawServer } from "../support/rawServer.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";
import { render } from "./render.ts";

const PAGES = 40;
const large = textPages(PAGES, 10_000, "classic");
const compressed = textPages(PAGES, 20_000, "stream");
/** PDF whose /Contents refers to an array, where the engine's first plan expects a stream. */
const surprising = farContents("[7 0 R]");
const isInk = ([r, g, b]: [number, number, number]) => r > 230 && g < 200 && b > 230;

let worker: StartedWorker;
let server: Server;
let hostile: RawServer;
beforeAll(async () => {
  const vars = {
    ALLOW_LOOPBACK_SOURCES: "true",
    SPOOL_THRESHOLD_BYTES: "100000",
    MAX_SOURCE_BYTES: "5000000",
    FETCH_TIMEOUT_SECONDS: "5",
    MAX_LARGE_FILES: "50",
  };
  server = createServer(({ url = "" }, response) => ANSWERS[url]?.(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  [worker, hostile] = await Promise.all([
    startWorker(vars, { entry: "test/e2e/spoolWorker.js" }),
    startRawServer((path, socket) => HOSTILE_ANSWERS[path]?.answer(socket)),
  ]);
});
afterAll(async () => {
  server?.close();
  server?.closeAllConnections();
  hostile?.stop();
  await worker?.stop();
});
afterEach(async () => expect(await (await fetch(`${worker.url}/spool`)).json()).toEqual([]));

/** Ways in which a file server can send a file. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  "/known-length.pdf": (response) => response.setHeader("Content-Length", large.length).end(large),
  "/in-chunks.pdf": (response) => {
    for (let at = 0; at < large.length; at += 70_000) response.write(large.subarray(at, at + 70_000));
    response.end();
  },
  "/gzipped.pdf": (response) => {
    const body = gzipSync(large);
    response.setHeader("Content-Encoding", "gzip").setHeader("Content-Length", body.length).end(body);
  },
  "/object-streams.pdf": (response) => response.setHeader("Content-Length", compressed.length).end(compressed),
  "/surprising.pdf": (response) => response.setHeader("Content-Length", surprising.length).end(surprising),
  "/not-a.pdf": (response) => response.setHeader("Content-Length", 200_000).end("a".repeat(200_000)),
};
const at = (path: string) => `http://127.0.0.1:${(server.address() as { port: number }).port}${path}`;
const endpoint = () => `${worker.url}/v1/watermark/text`;
const mark = (source: string) => callPaid(endpoint(), { file: source, text: "MARK", color: "#ff00ff", opacity: 1 });

async function expectMarked(response: Response, pages: number): Promise<string> {
  const answer = (await response.json()) as { output: { url: string; bytes: number } };
  expect(answer).toMatchObject({ output: { pages } });
  const pdf = new Uint8Array(await (await fetch(answer.output.url)).arrayBuffer());
  expect(pdf.length).toBe(answer.output.bytes);
  const rendered = await render(pdf, { scale: 0.5 });
  expect(rendered).toHaveLength(pages);
  for (const page of rendered) expect(page.boxOf(isInk)).toBeDefined();
  return answer.output.url;
}

// A small compressed file may decompress to a very large one.
test("the service rejects a compressed file that is too large for memory", async () => {
  const response = await mark(at("/gzipped.pdf"));
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({
    code: "source_too_large",
    detail: expect.stringContaining("Content-Encoding"),
  });
});

describe("files too large for memory", () => {
  test.each([
    ["/known-length.pdf", PAGES],
    ["/in-chunks.pdf", PAGES],
    ["/object-streams.pdf", PAGES],
    ["/surprising.pdf", 2],
  ])(
    "the service marks a file that is too large for memory, and leaves nothing in the spool: %s",
    async (path, pages) => {
      await expectMarked(await mark(at(path)), pages);
    },
  );

  test("the service marks an upload that is too large for memory, and the same payment gets the same result again", async () => {
    const payment = await paymentFor(endpoint());
    const call = () => {
      const form = new FormData();
      form.set("file", new File([large], "large.pdf"));
      form.set("text", "MARK");
      form.set("color", "#ff00ff");
      return callPaid(endpoint(), form, payment, "once");
    };
    const url = await expectMarked(await call(), PAGES);
    expect(await (await call()).json()).toMatchObject({ output: { url } });
  });
});

test("the service rejects a large file that is not a PDF, and leaves nothing in the spool", async () => {
  expect(await (await mark(at("/not-a.pdf"))).json()).toMatchObject({ code: "not_a_pdf" });
});

test("a call with a large file and an invalid field leaves nothing in the spool", async () => {
  const form = new FormData();
  form.set("file", new File([large], "large.pdf"));
  form.set("text", "MARK");
  form.set("opacity", "7");
  expect(await (await callPaid(endpoint(), form)).json()).toMatchObject({ code: "invalid_request" });
});

test.each(Object.entries(HOSTILE_ANSWERS).filter(([, { code }]) => code !== "source_timeout"))(
  "a hostile file source leaves nothing in the spool: %s",
  async (path, { code }) => {
    expect(await (await mark(`http://127.0.0.1:${hostile.port}${path}`)).json()).toMatchObject({ code });
  },
);

test("file sources that never end leave nothing in the spool", async () => {
  const late = Object.entries(HOSTILE_ANSWERS).filter(([, { code }]) => code === "source_timeout");
  const answers = await Promise.all(
    late.map(async ([path]) => (await mark(`http://127.0.0.1:${hostile.port}${path}`)).json()),
  );
  expect(answers).toEqual(late.map(() => expect.objectContaining({ code: "source_timeout" })));
});
