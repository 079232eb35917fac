import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Name of the file that {@link buildScript} writes beside the script. It contains esbuild's record of the script's
 * inputs.
 */
export const METAFILE = "bundle-meta.json";

/**
 * Builds a Worker's script as a deployment does.
 * @param root the checkout, in which the static assets are built
 * @param entry a script to build instead of the one in wrangler.toml
 * @throws Error with wrangler's output, if the build fails
 */
export async function buildScript(
  into: string,
  { root = join(import.meta.dirname, "../.."), entry, env = process.env }: BuildOptions = {},
): Promise<void> {
  const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
  const args = ["deploy", ...(entry === undefined ? [] : [entry]), "--dry-run", "--outdir", into, "--metafile"];
  await promisify(execFile)(process.execPath, [wrangler, ...args], {
    cwd: root,
    env: { ...env, WRANGLER_SEND_METRICS: "false" },
  });
}

interface BuildOptions {
  root?: string;
  entry?: string;
  env?: NodeJS.ProcessEnv;
}
