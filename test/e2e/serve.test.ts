/** Tests self-hosting: the Docker image, and the command that the image runs. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { callPaid } from "../../scripts/lib/pay.ts";
import { samplePdf } from "../../scripts/lib/samplePdf.ts";
import { freePort } from "../../scripts/lib/worker.ts";
import { RATE_LIMITS } from "../../src/settings/limits.ts";
import { builtWorker } from "../support/builtWorkers.ts";

const root = join(import.meta.dirname, "../..");
const PAY_TO = "0x00000000000000000000000000000000000000aa";
const run = promisify(execFile);

/** Reason why this machine cannot build a Docker image. Empty if it can. */
const noDocker = (() => {
  try {
    execFileSync("docker", ["info"], { stdio: ["ignore", "ignore", "pipe"], timeout: 20_000 });
    return "";
  } catch (error) {
    return `, skipped: no Docker daemon (${(error as Error).message.split("\n")[0]})`;
  }
})();

/**
 * Waits until a server answers, and returns its health.
 * @throws Error with the output that `diedOf` returns, if the server has exited
 */
const healthAt = (url: string, diedOf: () => string | undefined = () => undefined) =>
  vi.waitUntil(
    async () => {
      const answer = await fetch(`${url}/healthz`).catch(() => undefined);
      if (answer)
        return { status: answer.status, problems: ((await answer.json()) as { problems: string[] }).problems };
      const printed = diedOf();
      if (printed !== undefined) throw new Error(`it has ended: ${printed}`);
      return undefined;
    },
    { timeout: 50_000, interval: 200 },
  );

/** A printed line, as `npm run serve` writes it. */
interface PrintedLine {
  time: string;
  level: string;
  event: string;
  message?: string;
}

/**
 * Parses everything that a server has printed.
 * @throws Error if a line is not a JSON object with a time and a level
 */
function linesOf(printed: string): PrintedLine[] {
  const lines = printed.split("\n").filter(Boolean);
  return lines.map((text) => {
    const line = JSON.parse(text) as PrintedLine;
    expect(line, text).toMatchObject({ time: expect.any(String), event: expect.any(String) });
    expect(["debug", "info", "warn", "error"], text).toContain(line.level);
    expect(new Date(line.time).toISOString()).toBe(line.time);
    return line;
  });
}

/** Log line of an error that ends the server. */
const fatal = (message: unknown) => expect.objectContaining({ level: "error", event: "server", message });

async function buy(url: string): Promise<string> {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(await samplePdf())], "sample.pdf"));
  form.set("text", "MINE");
  const answer = await callPaid(`${url}/v1/watermark/text`, form);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { output: { url: string } }).output.url;
}

describe("npm run serve, which the image runs", () => {
  /** Folder of a build made by `npm run build:server`. */
  let BUILT: string;
  let state: string;
  beforeAll(async () => {
    BUILT = dirname(await builtWorker(inject("builtWorkers"), "src/index.ts"));
    state = await mkdtemp(join(tmpdir(), "overprint-serve-"));
  });
  afterAll(() => rm(state, { recursive: true, force: true }));

  /** Starts the server on a free port with the Dockerfile's command and these settings. */
  async function serve(env: Record<string, string>) {
    const port = await freePort();
    const [, command = ""] = /^CMD (\[.*\])$/m.exec(await readFile(join(root, "Dockerfile"), "utf8")) ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    const options = { PATH: process.env.PATH ?? "", PORT: String(port), STATE: state, BUILT, ...env };
    const child = spawn(process.execPath, args, { cwd: root, env: options, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk));
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    const stop = () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      return ended.then(() => clearTimeout(late));
    };
    const url = `http://127.0.0.1:${port}`;
    const health = () => healthAt(url, () => (child.exitCode === null ? undefined : printed));
    return { url, health, ended, printed: () => printed, stop, [Symbol.asyncDispose]: stop };
  }

  test("the self-hosted server sells, sweeps, exits on a signal, and keeps its storage after a restart", async () => {
    await using first = await serve({});
    const { status } = await first.health();
    expect(status).toBe(200);
    const link = new URL(await buy(first.url));
    await vi.waitUntil(() => first.printed().includes('"event":"sweep"'), { timeout: 20_000 });
    await first.stop();
    expect(new Set(linesOf(first.printed()).map(({ event }) => event))).toEqual(
      new Set(["serving", "settlement", "sale", "request", "sweep"]),
    );

    await using second = await serve({ SELLING: "false" });
    const { problems } = await second.health();
    expect(problems).toEqual([expect.stringContaining("SELLING")]);
    const again = await fetch(new URL(link.pathname + link.search, second.url));
    expect([again.status, (await again.text()).slice(0, 5)]).toEqual([200, "%PDF-"]);
  });

  test("the self-hosted server stops if npm receives SIGTERM", async () => {
    const port = await freePort();
    const { PATH = "", HOME = "" } = process.env;
    const env = { PATH, HOME, PORT: String(port), STATE: state, BUILT };
    const npm = spawn("npm", ["run", "--silent", "serve"], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(npm.stdout, "close"); // only once no process holds the pipe
    const { status } = await healthAt(`http://127.0.0.1:${port}`);
    npm.kill("SIGTERM");
    await closed;
    expect(status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  });

  test("the self-hosted server stops with an error if its bucket is deleted, so that it sells no results that get lost", async () => {
    const STATE = join(state, "lost");
    await mkdir(join(STATE, "r2"), { recursive: true });
    await using server = await serve({ STATE });
    await server.health();
    await buy(server.url);
    await rm(join(state, "lost/r2"), { recursive: true });
    expect(await server.ended).toBe(1);
    expect(linesOf(server.printed())).toContainEqual(
      fatal(expect.stringContaining("The folder r2 of STATE was deleted")),
    );
  });

  test("the self-hosted server finishes a running upload after SIGTERM, refuses new requests, and exits", async () => {
    await using server = await serve({});
    await server.health();
    const pdf = new Uint8Array(await samplePdf());
    const created = await fetch(`${server.url}/v1/uploads`, { method: "POST" });
    const { upload } = (await created.json()) as { upload: { url: string; headers: Record<string, string> } };
    const headers = { ...upload.headers, "Content-Length": pdf.length };
    const sending = request(upload.url, { method: "PUT", headers }); // fetch cannot send a stream with a known length
    const answered = once(sending, "response") as Promise<[IncomingMessage]>;
    await new Promise((resolve) => sending.write(pdf.subarray(0, 1000), resolve));
    // When this answer arrives, the server has also received the beginning of the upload.
    await fetch(`${server.url}/v1/limits`);

    const stopped = server.stop();
    const refused = await vi.waitUntil(async () => {
      const answer = await fetch(`${server.url}/v1/limits`);
      return answer.status === 503 ? answer : undefined;
    });
    expect(refused.headers.get("Retry-After")).toBe("10");
    sending.end(pdf.subarray(1000));
    const [{ statusCode }] = await answered;
    expect(statusCode).toBe(200);
    await stopped;
    expect(await server.ended).toBe(0);
  });

  test("the self-hosted server answers many calls during its first sweep", async () => {
    await using server = await serve({});
    await vi.waitUntil(() => server.printed().includes('"event":"serving"'), { timeout: 20_000, interval: 5 });
    const init = { method: "POST", signal: AbortSignal.timeout(20_000) };
    const calls = Array.from({ length: 146 }, () => fetch(`${server.url}/v1/watermark/text`, init));
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([402]));
  });

  test("the self-hosted server reports a misspelled setting and ignores other environment variables", async () => {
    await using server = await serve({ NETWORK: "base", HOSTNAME: "abc", NODE_VERSION: "24", LANG: "C" });
    const { status, problems } = await server.health();
    expect([status, problems]).toEqual([503, [expect.stringContaining("NETWORK is not a setting. Use NETWORKS")]]);
    expect(problems[0]).not.toMatch(/HOSTNAME|NODE_VERSION|LANG/);
  });

  test("the self-hosted server names the build command if no build exists", async () => {
    await using server = await serve({ BUILT: state });
    expect(await server.ended).toBe(2);
    expect(linesOf(server.printed())).toEqual([fatal(`${state} has no build. Run npm run build:server`)]);
  });

  test("the self-hosted server rejects a malformed port with a one-line error", async () => {
    await using server = await serve({ PORT: "abc" });
    expect(await server.ended).toBe(2);
    expect(linesOf(server.printed())).toEqual([fatal("PORT must be a number from 1 to 65535, not 'abc'")]);
  });

  test("the self-hosted server reports that its port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await using server = await serve({ PORT: String(port) });
    expect(await server.ended).toBe(2);
    const message = `The server could not start at 127.0.0.1:${port}: Address already in use`;
    expect(linesOf(server.printed())).toContainEqual(fatal(expect.stringContaining(message)));
    taken.close();
  });

  test.each([{}, { FACILITATOR_URL: " " }])(
    "the self-hosted server refuses to start on a public address without a facilitator: %j",
    async (env) => {
      await using server = await serve({ HOST: "0.0.0.0", ...env });
      await Promise.race([server.ended, vi.waitUntil(() => server.printed() !== "", { timeout: 20_000 })]);
      expect(server.printed()).toContain("FACILITATOR_URL is not set");
      expect(await server.ended).toBe(2);
    },
  );

  test("the self-hosted server serves files only through their links, and ignores headers with a forged address", async () => {
    await using server = await serve({});
    await server.health();
    const { pathname } = new URL(await buy(server.url));
    const id = pathname.slice("/v1/files/".length, -".pdf".length);
    const inBucket = `/cdn-cgi/local/r2/public/overprint-results/results/${id.slice(0, 6)}/${id}`;
    const direct = await fetch(server.url + inBucket);
    const forged = await fetch(server.url, { headers: { "MF-Original-URL": `http://localhost${inBucket}` } });
    expect([direct.status, (await forged.text()).slice(0, 11)]).toEqual([404, "# Overprint"]);
  });

  test("the self-hosted server trusts a proxy's X-Forwarded-Proto, and throttles callers of unknown address", async () => {
    const facilitator = { FACILITATOR_URL: "https://facilitator.invalid", PAY_TO };
    await using server = await serve({ HOST: "0.0.0.0", ...facilitator });
    await server.health();
    const ask = (headers: Record<string, string>) =>
      fetch(`${server.url}/v1/watermark/text`, { method: "POST", headers });
    const { accepts } = (await (await ask({ "X-Forwarded-Proto": "https" })).json()) as { accepts: object[] };
    expect(accepts).toMatchObject([{ resource: expect.stringMatching(/^https:/) }]);
    const statuses: number[] = [];
    // Makes one call more than two minutes allow, because a new minute may begin during the loop.
    for (let call = 0; call < 2 * RATE_LIMITS.unpaidCalls + 1; call++) statuses.push((await ask({})).status);
    expect(new Set(statuses)).toEqual(new Set([402, 429]));
  });
});

test.skipIf(noDocker !== "")(
  `the Docker image builds, runs as an unprivileged user, and is healthy${noDocker}`,
  {
    timeout: 900_000,
  },
  async () => {
    const image = `overprint-test-${process.pid}`;
    const docker = async (...args: string[]) =>
      (await run("docker", args, { cwd: root, maxBuffer: 1e8 })).stdout.trim();
    await docker("build", "--quiet", "--tag", image, ".");
    const settings = ["--env", `PAY_TO=${PAY_TO}`, "--env", "FACILITATOR_URL=https://facilitator.example.com"];
    const id = await docker("run", "--detach", "--publish", "127.0.0.1:0:8787", ...settings, image);
    try {
      expect(await docker("exec", id, "id", "-un")).toBe("node");
      const [address] = (await docker("port", id, "8787")).split("\n");
      await healthAt(`http://${address}`);
      expect((await fetch(`http://${address}/openapi.json`)).status).toBe(200);
    } finally {
      await docker("rm", "--force", "--volumes", id);
      await docker("rmi", "--force", image);
    }
  },
);
