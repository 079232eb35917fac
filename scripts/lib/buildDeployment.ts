import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { sha256 } from "./sourceHash.ts";

/** The file, below `out`, with what esbuild says of the script's inputs. */
export const METAFILE = "worker.meta.json";

/**
 * Builds a checkout as a deployment does: the script into `out/worker`, the static assets into its `dist/site`.
 * @returns the SHA-256 of each file that a deployment serves or runs, by its path under `worker/` or `site/`
 */
export async function buildDeployment(root: string, out: string, env = process.env): Promise<Map<string, string>> {
  const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
  const worker = join(out, "worker");
  execFileSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--outdir", worker, `--metafile=${join(out, METAFILE)}`],
    { cwd: root, env: { ...env, WRANGLER_SEND_METRICS: "false" }, stdio: ["ignore", "ignore", "inherit"] },
  );
  const files = [...(await hashesOf(worker, "worker")), ...(await hashesOf(join(root, "dist/site"), "site"))];
  // nothing runs of what is left out: wrangler's own words, with the time in them, and the source map, with the folder
  return new Map(files.filter(([path]) => !/^worker\/(README\.md|.*\.map)$/.test(path)));
}

async function hashesOf(folder: string, prefix: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const name = `${prefix}/${relative(folder, path).split(sep).join("/")}`;
      return [name, sha256(await readFile(path))];
    }),
  );
}
