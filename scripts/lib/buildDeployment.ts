import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { buildScript, METAFILE } from "./buildScript.ts";
import { sha256 } from "./sourceHash.ts";

/**
 * Builds a checkout as a deployment does: the script into `out/worker`, and the static assets into `dist/site` of the
 * checkout.
 * @returns the SHA-256 of each file that a deployment serves or runs, by its path under `worker/` or `site/`
 */
export async function buildDeployment(root: string, out: string, env = process.env): Promise<Map<string, string>> {
  const worker = join(out, "worker");
  await buildScript(worker, { root, env });
  const files = [...(await hashesOf(worker, "worker")), ...(await hashesOf(join(root, "dist/site"), "site"))];
  // Leaves out files that are not deployed, because they differ between builds: wrangler's README contains the time,
  // and source maps contain the folder.
  return new Map(
    files.filter(([path]) => !/^worker\/(README\.md|.*\.map)$/.test(path) && path !== `worker/${METAFILE}`),
  );
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
