import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 60_000;

/** The Worker, running on this machine under wrangler with empty storage of its own. */
export interface RunningWorker {
  url: string;
  /** CPU time that workerd has used so far, in milliseconds. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

/** How a Worker is started, where not as a deployment is. */
export interface WorkerOptions {
  /** Another script, with the same settings and bindings. */
  entry?: string;
  /** A folder for its storage that outlives it. */
  keptState?: string;
}

/** Starts the Worker on a free loopback port. `vars` override its settings. */
export async function startWorker(
  vars: Record<string, string> = {},
  { entry, keptState }: WorkerOptions = {},
): Promise<RunningWorker> {
  const [port, inspectorPort] = await Promise.all([freePort(), freePort()]);
  const state = keptState ?? (await mkdtemp(join(tmpdir(), "overprint-")));
  const settings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/wrangler/bin/wrangler.js"),
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
      "--show-interactive-dev-session=false",
      "--log-level",
      "warn",
      ...settings,
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" },
    },
  );
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
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`the Worker did not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, stop, cpuMs: () => cpuMsOfChildren(child.pid!) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Linux: user and system time of workerd, wrangler's descendant, in clock ticks of 10 ms (proc(5)). */
async function cpuMsOfChildren(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8"))
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
  let total = 0;
  for (const child of children) {
    const stat = await readFile(`/proc/${child}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (name === "workerd") total += (Number(fields[11]) + Number(fields[12])) * 10;
    total += await cpuMsOfChildren(child);
  }
  return total;
}
