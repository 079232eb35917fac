import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callPaid, paymentFor } from "../../scripts/lib/pay.ts";
import { brokenAddressRule } from "../../src/inputs/address.ts";
import { forbiddenUrls } from "../support/forbiddenUrls.ts";
import { GOOD_ANSWERS, HOSTILE_ANSWERS, type HostileAnswer } from "../support/hostileAnswers.ts";
import { onePage } from "../support/pdf.ts";
import { head, type RawServer, startRawServer } from "../support/rawServer.ts";
import { type StartedWorker, startWorker } from "../support/worker.ts";

const MAX_SOURCE_BYTES = 1_000_000;
/**
 * Total size of both socket buffers. The operating system accepts this many bytes from a server before the Worker reads
 * any.
 */
const SOCKET_BUFFERS = 16_000_000;

/** Server that must never receive a connection. */
let forbidden: RawServer;
beforeAll(async () => {
  forbidden = await startRawServer(() => {});
});
afterAll(() => forbidden.stop());

/** Returns the problem of a failed request. The answer must have no receipt. */
async function problemOf(response: Response) {
  expect(response.headers.get("X-PAYMENT-RESPONSE")).toBeNull();
  return (await response.json()) as { code: string; detail: string };
}

/**
 * Calls the endpoint with each URL, and returns the problems. Four lanes call in parallel. All calls of a lane share
 * one payment, because a failed call does not spend the payment.
 */
async function problemsOf(endpoint: string, urls: string[], fieldsOf: (url: string) => Record<string, unknown>) {
  const lanes = 4;
  const problems: Awaited<ReturnType<typeof problemOf>>[] = [];
  const callInLane = async (_: unknown, lane: number) => {
    const payment = await paymentFor(endpoint);
    for (let at = lane; at < urls.length; at += lanes)
      problems[at] = await problemOf(await callPaid(endpoint, fieldsOf(urls[at]!), payment));
  };
  await Promise.all(Array.from({ length: lanes }, callInLane));
  return problems;
}

describe("a deployment", () => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker();
  });
  afterAll(() => worker?.stop());

  test("a deployment never fetches a file or an image from a forbidden address, however the address is spelled", async () => {
    const urls = forbiddenUrls(forbidden.port).filter(([url]) => url.includes(String(forbidden.port)));
    expect(urls.length).toBeGreaterThan(60);
    const pdf = `data:application/pdf;base64,${Buffer.from(onePage).toString("base64")}`;
    for (const [kind, fields] of [
      ["text", (url: string) => ({ file: url, text: "A" })],
      ["image", (url: string) => ({ file: pdf, image: url })],
    ] as const) {
      const endpoint = `${worker.url}/v1/watermark/${kind}`;
      const problems = await problemsOf(
        endpoint,
        urls.map(([url]) => url),
        fields,
      );
      for (const [at, [url, rule]] of urls.entries()) {
        const { code, detail } = problems[at]!;
        if (/^https?:\/\//.test(url))
          expect([url, code, detail]).toEqual([url, "source_not_allowed", expect.stringContaining(rule)]);
        else expect([url, code]).toEqual([url, "invalid_request"]);
      }
    }
    expect(forbidden.connections).toHaveLength(0);
  });

  test("the test server at a forbidden address records each connection that it receives", async () => {
    const canary = await startRawServer((_, socket) => socket.end(head("200 OK")));
    await fetch(`http://127.0.0.1:${canary.port}/`);
    expect(canary.connections).toHaveLength(1);
    canary.stop();
  });
});

describe("a development server that allows loopback sources", () => {
  let worker: StartedWorker;
  let server: RawServer;
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  const endpoint = () => `${worker.url}/v1/watermark/text`;
  const mark = (file: string) => callPaid(endpoint(), { file, text: "A" });

  beforeAll(async () => {
    const answer = (path: string, socket: Socket) => {
      const [name = "", query = ""] = path.split("?");
      if (name === "/to")
        socket.write(head("302 Found", `Location: ${decodeURIComponent(query)}`, "Content-Length: 0"));
      else (GOOD_ANSWERS[name] ?? HOSTILE_ANSWERS[name]?.answer)?.(socket);
    };
    const vars = {
      ALLOW_LOOPBACK_SOURCES: "true",
      FETCH_TIMEOUT_SECONDS: "5",
      MAX_SOURCE_BYTES: `${MAX_SOURCE_BYTES}`,
    };
    [worker, server] = await Promise.all([startWorker(vars), startRawServer(answer)]);
  });
  afterAll(async () => {
    server?.stop();
    await worker?.stop();
  });

  test.each(Object.keys(GOOD_ANSWERS))(
    "a development server that allows loopback sources marks a file from its own machine: %s",
    async (path) => {
      const response = await mark(at(path));
      expect(await response.json()).toMatchObject({ output: { pages: 1 } });
    },
  );

  test("a web page cannot make a development server fetch files from the developer's machine", async () => {
    const first = server.connections.length;
    const response = await fetch(endpoint(), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Origin: "https://page.example.com",
        "X-PAYMENT": await paymentFor(endpoint()),
      },
      body: JSON.stringify({ file: at("/good"), text: "A" }),
    });
    expect(await problemOf(response)).toMatchObject({ code: "source_not_allowed" });
    expect(server.connections).toHaveLength(first);
  });

  async function expectProblems(sources: [string, HostileAnswer][]) {
    const first = server.connections.length;
    const problems = await Promise.all(sources.map(async ([path]) => problemOf(await mark(at(path)))));
    expect(problems.map(({ code, detail }) => ({ code, detail }))).toEqual(
      sources.map(([, { code, words }]) => ({ code, detail: expect.stringContaining(words) })),
    );
    expect(JSON.stringify(problems)).not.toContain("the far side's own words");

    const used = server.connections.slice(first);
    expect(used.length).toBeGreaterThanOrEqual(sources.length);
    await Promise.all(used.map(({ closed }) => closed));
    for (const { socket } of used) expect(socket.bytesWritten).toBeLessThan(MAX_SOURCE_BYTES + SOCKET_BUFFERS);
  }

  const hostile = Object.entries(HOSTILE_ANSWERS);
  const isLate = ([, { code }]: [string, HostileAnswer]) => code === "source_timeout";

  test.each(hostile.filter((source) => !isLate(source)))(
    "a hostile file source causes an error response and leaves no connection open: %s",
    async (...source) => expectProblems([source]),
  );

  test("a file source that never ends times out with source_timeout and leaves no connection open", () =>
    expectProblems(hostile.filter(isLate)));

  test("a file source on an allowed address cannot redirect to a forbidden address", async () => {
    const targets = forbiddenUrls(forbidden.port).filter(([url]) => {
      const target = URL.parse(url, at("/"));
      return target && brokenAddressRule(target, true) && url.length < 4000 && !/[\t\n]/.test(url);
    });
    expect(targets.length).toBeGreaterThan(60);
    const body = (url: string) => ({ file: at(`/to?${encodeURIComponent(url)}`), text: "A" });
    const problems = await problemsOf(
      endpoint(),
      targets.map(([url]) => url),
      body,
    );
    for (const [index, [url, rule]] of targets.entries()) {
      const { code, detail } = problems[index]!;
      expect([url, code, detail]).toEqual([url, "source_not_allowed", expect.stringContaining(rule)]);
    }
    expect(forbidden.connections).toHaveLength(0);
  });
});
