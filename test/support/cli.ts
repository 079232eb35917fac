import { spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { run } from "../../cli/main.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "cli/overprint.js");

/** How the program is run. */
interface Setting {
  cwd?: string;
  env?: Record<string, string>;
  /** What its standard input is; nothing by default. */
  input?: Uint8Array | string;
}

/** How it is started, as a process of its own. */
interface ProcessSetting extends Setting {
  /** Arguments for Node.js. */
  node?: string[];
  /** Another copy of the program. */
  program?: string;
}

/** What has become of it. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  /** stdout, of a PDF. */
  bytes: Buffer;
}

/**
 * Runs `overprint` to its end, in the process of the tests, since to start one takes longer than most of what it does. One
 * at a time: a process has one working folder.
 */
export async function runCli(args: string[], { cwd = ROOT, env = {}, input = "" }: Setting = {}): Promise<Run> {
  const [stdout, stderr] = [collector(), collector()];
  const io = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, env, exitCode: 0 };
  process.chdir(cwd);
  try {
    await run(args, io);
  } finally {
    process.chdir(ROOT);
  }
  return ended(io.exitCode, stdout, stderr);
}

/** Starts `overprint` with the arguments of a command line, as a process of its own. */
export function startCli(args: string[], { cwd, env, node = [], program = PROGRAM }: ProcessSetting = {}) {
  const { PRIVATE_KEY: _, ...own } = process.env;
  return spawn(process.execPath, [...node, program, ...args], { cwd, env: { ...own, ...env } });
}

/** Runs `overprint` to its end, as a process of its own. */
export async function runProgram(args: string[], setting: ProcessSetting = {}): Promise<Run> {
  const child = startCli(args, setting);
  child.stdin.on("error", () => undefined); // it may not have been read
  child.stdin.end(setting.input ?? "");
  const [stdout, stderr] = [collector(), collector()];
  child.stdout.pipe(stdout);
  child.stderr.pipe(stderr);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return ended(code, stdout, stderr);
}

type Collector = Writable & { chunks: Buffer[] };

/** Returns a stream that keeps what is written to it. */
function collector(): Collector {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _: BufferEncoding, done: () => void) => {
    chunks.push(chunk);
    done();
  };
  return Object.assign(new Writable({ write }), { chunks });
}

function ended(code: number | null, stdout: Collector, stderr: Collector): Run {
  const [bytes, words] = [stdout, stderr].map(({ chunks }) => Buffer.concat(chunks));
  return { code, stdout: bytes!.toString(), stderr: words!.toString(), bytes: bytes! };
}
