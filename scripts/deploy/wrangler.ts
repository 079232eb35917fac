import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** The outcome of one wrangler command. */
interface WranglerAnswer {
  ok: boolean;
  stdout: string;
  /** Reason of the failure, in one line. */
  reason: string;
}

/** Runs one wrangler command. Secrets are passed only in `input`, which becomes wrangler's standard input. */
export type Wrangler = (
  args: readonly string[],
  given?: { input?: string; env?: NodeJS.ProcessEnv },
) => Promise<WranglerAnswer>;

/**
 * Creates a function that runs wrangler commands. The function starts wrangler with Node.js and without a shell, which
 * works the same on every system. wrangler cannot prompt, because there is no terminal.
 * @param script path of wrangler's program
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
      child.stdin.on("error", () => undefined); // wrangler may exit before it has read its input
      child.stdin.end(input);
    });
}

/** Extracts wrangler's error from its output, without advice about bug reports and log files. */
function reasonIn(printed: string): string {
  const [, said = printed] = printed.split("[ERROR]");
  const [reason = ""] = said.split(/If you think this is a bug|🪵/);
  return reason.replace(/\s+/g, " ").trim() || "wrangler gave no reason";
}

/** Returns the command as a user would type it. */
export function commandLine(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w./:,@=-]+$/.test(arg) ? arg : `'${arg}'`));
  return `npx wrangler ${quoted.join(" ")}`;
}
