import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** The program of wrangler, for Node. */
const WRANGLER = join(root, "node_modules/wrangler/bin/wrangler.js");
const START_TIMEOUT_MS = 60_000;

/** The Worker, running locally with its own storage. */
export interface RunningWorker {
  url: string;
  /** The port of its inspector, which speaks the Chrome DevTools protocol. */
  inspectorPort: number;
  /** Returns the CPU time that workerd has used so far, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Returns workerd's peak memory so far, in MB. */
  peakMb(): Promise<number>;
  /** Returns workerd's memory now, in MB. */
  residentMb(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the Worker on a free loopback port, as `npm run dev` does, without what .dev.vars says. `vars` are its settings;
 * `entry` is another script, with the same settings and bindings; `signal` gives up on a start.
 * @throws Error if it has not started within a minute
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

/** Where a server is to listen, and the folder for its storage. */
export interface ServerPlace {
  port: number;
  inspectorPort: number;
  state: string;
}

/**
 * Starts a program of Node's, given by its arguments, that serves the Worker, and waits until it answers. Its storage is in
 * a new, temporary folder, or in `keptState`, which stays when it stops.
 * @throws Error if it has not started within a minute
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
      if (/address already in use/i.test(log)) return startServer(program, { keptState, signal }); // somebody else was faster
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
 * Returns a port of 127.0.0.1 that nothing listens on, until somebody else is faster. It is none of those that systems give
 * out by themselves, to servers and to connections: one of them may have it before the program does that is started now.
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

/** Returns user and system time; clock ticks are 10 ms. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function statusMb(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
}
