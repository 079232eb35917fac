import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Path of wrangler's program, for Node.js. */
export const WRANGLER = join(root, "node_modules/wrangler/bin/wrangler.js");
const START_TIMEOUT_MS = 60_000;

/** A Worker that runs locally with separate storage. */
export interface RunningWorker {
  url: string;
  /** Port of the Worker's inspector (Chrome DevTools protocol). */
  inspectorPort: number;
  /** Returns the CPU time that workerd has used so far, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Returns workerd's peak memory so far, in MB. */
  peakMb(): Promise<number>;
  /** Returns workerd's current memory, in MB. */
  residentMb(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the Worker on a free loopback port, as `npm run dev` does, but ignores .dev.vars. `vars` are the Worker's
 * settings. `entry` replaces its script, with the same settings and bindings. `signal` cancels the start.
 * @throws Error if the Worker has not started within a minute
 */
export function startWorker(
  vars: Record<string, string> = {},
  { entry, signal }: { entry?: string; signal?: AbortSignal } = {},
): Promise<RunningWorker> {
  const program = ({ port, inspectorPort, state }: ServerPlace) => [
    WRANGLER,
    "dev",
    ...(entry === undefined ? [] : [entry]),
    "--ip",
    "127.0.0.1",
    "--port",
    String(port),
    "--inspector-port",
    String(inspectorPort),
    "--persist-to",
    state,
    "--env-file",
    join(import.meta.dirname, "no.vars"),
    "--show-interactive-dev-session=false",
    "--log-level",
    "warn",
    ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ];
  return startServer(program, { signal });
}

/** The address where a server listens, and the folder of its storage. */
export interface ServerPlace {
  port: number;
  inspectorPort: number;
  state: string;
}

/**
 * Starts a Node.js program that serves the Worker, and waits until the Worker answers. The Worker stores its data in
 * the folder `keptState`, which remains after the program stops. Without `keptState`, it uses a new temporary folder.
 * @param program returns the path and arguments of the program
 * @throws Error if the Worker has not started within a minute
 */
export async function startServer(
  program: (place: ServerPlace) => string[],
  { keptState, signal }: { keptState?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<RunningWorker> {
  const [port, inspectorPort] = await Promise.all([freePort(), freePort()]);
  const state = keptState ?? (await mkdtemp(join(tmpdir(), "overprint-")));
  const child = spawn(process.execPath, program({ port, inspectorPort, state }), {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_COLOR: "1" },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (log += chunk));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));

  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    if (keptState === undefined) await rm(state, { recursive: true, force: true });
  };

  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (
    !(await fetch(`${url}/openapi.json`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || signal?.aborted || Date.now() > deadline) {
      await stop();
      signal?.throwIfAborted();
      // starts again on another port, because another process has taken this one
      if (/address already in use/i.test(log)) return startServer(program, { keptState, signal });
      throw new Error(`the Worker did not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const total = async (measure: (pid: number) => Promise<number>) =>
    (await Promise.all((await workerdsUnder(child.pid!)).map(measure))).reduce((sum, value) => sum + value, 0);
  const mb = (field: string) => total((pid) => statusMb(pid, field));
  return {
    ...{ url, inspectorPort, stop },
    cpuMs: () => total(cpuMsOf),
    peakMb: () => mb("VmHWM"),
    residentMb: () => mb("VmRSS"),
  };
}

/**
 * Returns a port of 127.0.0.1 that is currently free. The port is outside the range from which operating systems assign
 * ports, so another program is unlikely to take it first.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(15_000, 32_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Returns the workerd processes among wrangler's descendants (Linux, proc(5)). */
async function workerdsUnder(pid: number): Promise<number[]> {
  const found: number[] = [];
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  for (const child of children.trim().split(" ").filter(Boolean).map(Number)) {
    if ((await readFile(`/proc/${child}/comm`, "utf8")).trim() === "workerd") found.push(child);
    found.push(...(await workerdsUnder(child)));
  }
  return found;
}

/** Returns the user and system time of a process in milliseconds. A clock tick is 10 ms. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function statusMb(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
}
