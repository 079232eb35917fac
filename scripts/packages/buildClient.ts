/**
 * Builds the script and the types of `packages/client`. The script is one bundle, which includes the few source
 * files that the client shares with the service. npm packages stay imports.
 */
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { apiTypes } from "./apiTypes.ts";

/** Writes the script of the client into a folder. */
export async function writeClientScript(root: string, dist: string, target: string): Promise<void> {
  await build({
    ...{ absWorkingDir: root, entryPoints: ["packages/client/index.ts"], outdir: dist, target },
    ...{ bundle: true, format: "esm", platform: "neutral", sourcemap: true, sourceRoot: "..", logLevel: "error" },
    plugins: [externalPackages],
  });
}

/** Keeps the imports of packages, and removes unused ones. */
const externalPackages: Plugin = {
  name: "external packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === "entry-point" ? undefined : { path, external: true, sideEffects: false },
    );
  },
};

/** Moves the types of the client next to its script. Replaces the types that depend on the service's schemas. */
export async function moveClientTypes(dist: string): Promise<void> {
  const types = join(dist, "types/packages/client");
  await cp(types, dist, { recursive: true });
  await rm(join(dist, "types"), { recursive: true });
  await writeFile(join(dist, "api.d.ts"), apiTypes());
  for (const name of (await readdir(dist)).filter((file) => file.endsWith(".d.ts"))) {
    const path = join(dist, name);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll('.ts"', '.js"'));
  }
}
