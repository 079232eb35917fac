/**
 * `npm run release -- minor|patch|major|1.2.3 [--dry-run] [--checked]` makes a release. The script sets the version,
 * commits, tags, and writes the release's files to out/release/. The script pushes nothing.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildDeployment } from "./lib/buildDeployment.ts";
import { METAFILE } from "./lib/buildScript.ts";
import { isDryRun } from "./lib/dryRun.ts";
import { packPackages } from "./lib/packPackages.ts";
import { type Lock, type Metafile, sbomOf } from "./lib/sbom.ts";
import { sha256, sourceHash } from "./lib/sourceHash.ts";
import { nextVersion, packageManifests, releasedChangelog, VERSIONED } from "./lib/versions.ts";

const USAGE = `npm run release -- major|minor|patch|1.2.3 [--dry-run] [--checked]

  --dry-run   print the steps, and change nothing
  --checked   .ci/run and npm run check:reproducible have passed on this commit: do not run them again`;

/** npm runs scripts in the folder that contains package.json */
const root = process.cwd();
const out = join(root, "out/release");

try {
  await release();
} catch (error) {
  console.error(`Not released: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function release(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean" }, checked: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  const [asked] = positionals;
  if (values.help) return console.log(USAGE);
  if (asked === undefined || positionals.length > 1) throw new Error(`say which version\n\n${USAGE}`);

  const { version: current } = JSON.parse(await read("package.json")) as { version: string };
  const version = nextVersion(current, asked);
  const day = new Date().toISOString().slice(0, 10);
  const changelog = releasedChangelog(await read("CHANGELOG.md"), version, day);
  refuseUnlessReady(`v${version}`);

  const count = changelog.notes.split("\n").length;
  console.log(`${current} -> ${version}, of ${day}, with the ${count} lines under "Unreleased" in CHANGELOG.md`);
  if (isDryRun(values["dry-run"])) return console.log("Nothing was done (--dry-run).");
  if (!values.checked) {
    execFileSync(join(root, ".ci/run"), { cwd: root, stdio: "inherit" });
    execFileSync("npm", ["run", "check:reproducible"], { cwd: root, stdio: "inherit" });
  }

  const changed = { "CHANGELOG.md": changelog.text } as Record<string, string>;
  for (const [name, change] of Object.entries(VERSIONED)) changed[name] = change(await read(name), version);
  try {
    for (const [name, text] of Object.entries(changed)) await writeFile(join(root, name), text);
    await writeAssets(changelog.notes);
    git("commit", "--quiet", "--message", `Release ${version}`, "--", ...Object.keys(changed));
  } catch (error) {
    git("checkout", "--quiet", "HEAD", "--", ...Object.keys(changed));
    throw error;
  }
  git("tag", "--annotate", "--message", `Overprint ${version}`, `v${version}`);
  console.log(`Committed and tagged. The release's files are in out/release/. To publish it:

  git push origin main v${version}
  gh release create v${version} --verify-tag --notes-file out/release/NOTES.md out/release/SHA256SUMS out/release/*.json out/release/packages/*
  for archive in out/release/packages/*.tgz; do npm publish "$archive" --access public; done`);
}

/**
 * Checks that a release can be made.
 * @throws Error if main is not checked out, if it has uncommitted changes, or if the tag already exists
 */
function refuseUnlessReady(tag: string): void {
  const branch = git("branch", "--show-current");
  if (branch !== "main") throw new Error(`releases are made from main, but ${branch || "no branch"} is checked out`);
  const changes = git("status", "--porcelain");
  if (changes) throw new Error(`there are uncommitted changes:\n${changes}`);
  if (git("tag", "--list", tag)) throw new Error(`the tag ${tag} already exists`);
}

/**
 * Builds the files that a deployment of this release uploads, and the packages for npm. Writes their checksums, the
 * lists of packages, and the release notes.
 */
async function writeAssets(notes: string): Promise<void> {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const hashes = await buildDeployment(root, out);
  const metafiles = [join(out, "worker", METAFILE), join(root, "dist/site.meta.json")];
  const [lock, fonts] = await Promise.all(
    ["package-lock.json", "scripts/fonts/package-lock.json"].map(async (name) => JSON.parse(await read(name)) as Lock),
  );
  const parsed = await Promise.all(metafiles.map(async (path) => JSON.parse(await readFile(path, "utf8")) as Metafile));
  const sbom = `${JSON.stringify(sbomOf(lock!, parsed, fonts!), null, 2)}\n`;
  await writeFile(join(out, "sbom.cdx.json"), sbom);
  await rm(join(out, "worker", METAFILE));
  const packages = await packPackages(root, out, packageManifests(), [lock!, fonts!]);
  const lines = [...hashes, ...packages, ["sbom.cdx.json", sha256(sbom)] as const].map(
    ([path, hash]) => `${hash}  ${path}\n`,
  );
  await writeFile(join(out, "SHA256SUMS"), lines.sort(byPath).join(""));
  await writeFile(
    join(out, "NOTES.md"),
    `${notes}\n\nSources: \`${await sourceHash(root)}\`, as \`/healthz\` says it.\n`,
  );
}

function byPath(one: string, other: string): number {
  return one.slice(66) < other.slice(66) ? -1 : 1;
}

function read(name: string): Promise<string> {
  return readFile(join(root, name), "utf8");
}

function git(...words: string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8" }).trimEnd();
}
