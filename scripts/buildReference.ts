/**
 * `npm run build:reference` writes the API reference of the packages for npm to `out/reference/`, from the types of the
 * built packages (TypeDoc). It fails if a comment links to a name that the package does not export.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const tools = join(root, "packages/tools");
const out = join(root, "out/reference");
const PACKAGES = { engine: ["index"], fonts: ["index", "url"], client: ["index"] };

rmSync(out, { recursive: true, force: true });
run("scripts/buildPackages.ts", ...Object.keys(PACKAGES));
for (const [name, entries] of Object.entries(PACKAGES))
  run(
    join(tools, "node_modules/typedoc/bin/typedoc"),
    ...["--tsconfig", join(tools, "tsconfig.json"), "--plugin", join(tools, "literalTypes.mjs")],
    ...entries.flatMap((entry) => ["--entryPoints", join(root, `packages/${name}/dist/${entry}.d.ts`)]),
    ...["--name", `@overprint/${name}`, "--readme", join(root, `packages/${name}/README.md`)],
    ...["--out", join(out, name), "--disableSources", "--disableGit", "--excludePrivate", "--excludeExternals"],
    ...["--validation.notExported", "false", "--treatWarningsAsErrors", "--logLevel", "Warn"],
  );
console.log("out/reference/ has the reference of each package: open out/reference/engine/index.html");

function run(program: string, ...args: string[]): void {
  execFileSync(process.execPath, [program, ...args], { cwd: root, stdio: "inherit" });
}
