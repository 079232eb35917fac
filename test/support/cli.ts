import { spawn } from "node:child_process";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { run } from "../../cli/main.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "cli/overprint.js");

/** Settings of a run of the program `overprint`. */
interface Setting {
  cwd?: string;
  env?: Record<string, string>;
  /** Standard input, empty by default. */
  input?: Uint8Array | string;
}

/** Settings of a run of `overprint` in a separate process. */
interface ProcessSetting extends Setting {
  /** Command-line options of Node.js. */
  node?: string[];
  /** Path of the program. The default is the program of this checkout. */
  program?: string;
}

/** The exit code and the output of one run of `overprint`. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as bytes, for commands that write a PDF. */
  bytes: Buffer;
}

/**
 * Runs `overprint` to its end in the test process, because starting a process takes longer than most commands. Runs
 * must not overlap, because a process has only one working directory.
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

/** Starts `overprint` with these arguments in a separate process. */
export function startCli(args: string[], { cwd, env, node = [], program = PROGRAM }: ProcessSetting = {}) {
  const { PRIVATE_KEY: _, ...own } = process.env;
  return spawn(process.execPath, [...node, program, ...args], { cwd, env: { ...own, ...env } });
}

/** Runs `overprint` to its end in a separate process. */
export async function runProgram(args: string[], setting: ProcessSetting = {}): Promise<Run> {
  const child = startCli(args, setting);
  child.stdin.on("error", () => undefined); // the program may exit before it has read its input
  child.stdin.end(setting.input ?? "");
  const [stdout, stderr] = [collector(), collector()];
  child.stdout.pipe(stdout);
  child.stderr.pipe(stderr);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return ended(code, stdout, stderr);
}

type Collector = Writable & { chunks: Buffer[] };

/** Returns a stream that collects everything that is written to it. */
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
