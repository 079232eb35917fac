import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** What one call of wrangler came to. */
interface WranglerAnswer {
  ok: boolean;
  stdout: string;
  /** Why it failed, in one line. */
  reason: string;
}

/** Runs one command of wrangler. `input` is its standard input: the only way that a secret may take. */
export type Wrangler = (
  args: readonly string[],
  given?: { input?: string; env?: NodeJS.ProcessEnv },
) => Promise<WranglerAnswer>;

/**
 * Returns a runner of wrangler, by Node itself and without a shell, so that it is the same on every system. It is never
 * asked anything: there is no terminal.
 * @param script wrangler's program
 */
export function wranglerAt(script: string, cwd: string, env: NodeJS.ProcessEnv): Wrangler {
  return (args, { input = "", env: more } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [script, ...args], {
        cwd,
        env: { ...env, ...more, WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" },
        stdio: "pipe",
      });
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      child.once("error", reject);
      child.once("close", (code) => {
        const [stdout, stderr] = [out, err].map((chunks) => stripVTControlCharacters(Buffer.concat(chunks).toString()));
        resolve({ ok: code === 0, stdout: stdout!, reason: code === 0 ? "" : reasonIn(stderr! || stdout!) });
      });
      child.stdin.on("error", () => undefined); // it may end without having read
      child.stdin.end(input);
    });
}

/** Finds why wrangler failed in what it printed: its error, without advice about reporting bugs and log files. */
function reasonIn(printed: string): string {
  const [, said = printed] = printed.split("[ERROR]");
  const [reason = ""] = said.split(/If you think this is a bug|🪵/);
  return reason.replace(/\s+/g, " ").trim() || "wrangler gave no reason";
}

/** The command as one would type it. */
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./:,@=-]+$/.test(arg) ? arg : `'${arg}'`));
  return `npx wrangler ${quoted.join(" ")}`;
}
