import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const PROGRAM = join(import.meta.dirname, "../../cli/overprint.js");

/** How the program is run. */
interface Setting {
  cwd?: string;
  env?: Record<string, string>;
  /** What its standard input is; nothing by default. */
  input?: Uint8Array | string;
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

/** Starts `overprint` with the arguments of a command line. */
export function startCli(args: string[], { cwd, env, node = [], program = PROGRAM }: Setting = {}) {
  const { PRIVATE_KEY: _, ...own } = process.env;
  return spawn(process.execPath, [...node, program, ...args], { cwd, env: { ...own, ...env } });
}

/** Runs `overprint` to its end. */
export async function runCli(args: string[], setting: Setting = {}): Promise<Run> {
  const child = startCli(args, setting);
  child.stdin.on("error", () => undefined); // it may not have been read
  child.stdin.end(setting.input ?? "");
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [stderr, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  const bytes = Buffer.concat(chunks);
  return { code, stdout: bytes.toString(), stderr, bytes };
}
