/** Tests which packages `npm ci` installs, and which packages scripts/run.mjs installs on first use. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { build } from "esbuild";
import { afterEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const { scripts, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};
const RUN = "node scripts/run.mjs";

test("all scripts in package.json start Node.js through scripts/run.mjs", () => {
  const parts = Object.values(scripts).flatMap((command) => command.split(" && "));
  expect(parts.filter((part) => /^(node|wrangler|vitest)\b/.test(part) && !part.startsWith(RUN))).toEqual([]);
});

test("programs that need only `npm ci` import only the packages that `npm ci` installs", async () => {
  const programs = Object.values(scripts)
    .flatMap((command) => command.split(" && "))
    .filter((part) => part.startsWith(`${RUN} `) && !part.includes("--with"))
    .map((part) => part.split(" ")[2]!.replace("cli/overprint.js", "cli/main.ts"))
    .filter((program) => program.endsWith(".ts") && program !== "scripts/uniqueNames.ts");
  expect(programs).toContain("cli/main.ts");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...programs, "src/index.ts"],
    ...{ bundle: true, write: false, metafile: true, outdir: "out", format: "esm", platform: "node" },
    packages: "external",
    external: ["cloudflare:*", "*.wasm", "#platform/*"],
    conditions: ["workerd"],
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  const packages = imported.filter((path) => !/^(node|cloudflare):|^#|^\./.test(path));
  const names = new Set(packages.map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)![0]));
  expect([...names].filter((name) => !Object.hasOwn(dependencies, name))).toEqual([]);
});

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/**
 * Creates a folder that resembles a fresh clone and contains scripts/run.mjs. The `npm` in the folder is a script that
 * prints its arguments and simulates an installation.
 */
function clone() {
  const folder = mkdtempSync(join(tmpdir(), "overprint-clone-"));
  made.push(folder);
  for (const file of ["scripts/run.mjs", "scripts/node/package-lock.json", "package-lock.json"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  mkdirSync(join(folder, "bin"));
  const npm = (does: string) =>
    writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\necho "npm $*" >&2\n${does}\n`, { mode: 0o755 });
  npm("mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json");
  const run = (...args: string[]) => {
    const env = { ...process.env, PATH: join(folder, "bin") + delimiter + process.env.PATH };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  return { folder, npm, run };
}

test("scripts/run.mjs and the program `overprint` ask for `npm ci` if it has not run", () => {
  const { folder, run } = clone();
  const refused = { status: 1, stdout: "", stderr: "overprint: run `npm ci` first\n" };
  expect(run("scripts/run.mjs", "--version")).toEqual(refused);
  cpSync(join(root, "cli"), join(folder, "cli"), { recursive: true });
  expect(run("cli/overprint.js", "--version")).toEqual(refused);
  // The folder node_modules exists now, but contains no package.
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  expect(run("cli/overprint.js", "--version")).toEqual(refused);
});

test("scripts/run.mjs installs the development packages once, without install scripts", () => {
  const { folder, run } = clone();
  const { status, stdout, stderr } = run("scripts/run.mjs", "--with", ".", "--version");
  expect([status, stdout]).toEqual([0, `${process.version}\n`]);
  expect(stderr).toContain(`npm install --include=dev --no-save --ignore-scripts`);
  expect(run("scripts/run.mjs", "--with", ".", "--version").stderr).toBe("");
  rmSync(join(folder, "node_modules/.package-lock.json"));
  expect(run("scripts/run.mjs", "--with", ".", "--version").stderr).toContain("npm install");
});

test("scripts/run.mjs on an old Node.js downloads the locked Node.js version, and reports a failed download", () => {
  const { folder, npm, run } = clone();
  mkdirSync(join(folder, "node_modules"));
  copyFileSync(join(folder, "package-lock.json"), join(folder, "node_modules/.package-lock.json"));
  const [old, newer] = ["--no-experimental-strip-types", "scripts/node/node_modules"];
  npm("exit 1");
  const failed = run(old, "scripts/run.mjs", "--version");
  expect(failed.status).toBe(1);
  expect(failed.stderr).toMatch(/\noverprint: npm could not install Node\.js 24\..*\n$/);

  npm(`for name in $(grep -o 'node_modules/node[-a-z0-9]*' package-lock.json); do
  mkdir -p $name/bin $name/include/node && printf '#!/bin/sh\\necho newer "$@"\\n' > $name/bin/node && chmod +x $name/bin/node
done
cp package-lock.json node_modules/.package-lock.json`);
  const fetched = run(old, "scripts/run.mjs", "program.ts", "--text", "two words");
  expect([fetched.status, fetched.stdout]).toEqual([0, "newer program.ts --text two words\n"]);
  expect(fetched.stderr).toContain(`npm ci --ignore-scripts --no-audit --no-fund --loglevel=error`);
  const names = readdirSync(join(folder, newer)).filter((name) => name.startsWith("node-"));
  const platforms = names.map((name) => readdirSync(join(folder, newer, name)));
  // The download of the private Node.js omits the C headers.
  expect(platforms.filter((parts) => !parts.includes("include"))).toEqual([["bin"]]);
  const again = run(old, "scripts/run.mjs", "program.ts");
  expect(again).toEqual({ status: 0, stdout: "newer program.ts\n", stderr: "" });
});
