/** Computes version numbers (semver.org), and lists the files that contain Overprint's version. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/**
 * Returns the version that follows `current`, or the version in `asked`.
 * @param asked major, minor, patch, or a version
 * @throws Error if `asked` is malformed, or is a version before the current one
 */
export function nextVersion(current: string, asked: string): string {
  const now = partsOf(current);
  const [major, minor, patch] = now;
  if (asked === "major") return `${major + 1}.0.0`;
  if (asked === "minor") return `${major}.${minor + 1}.0`;
  if (asked === "patch") return `${major}.${minor}.${patch + 1}`;
  const then = partsOf(asked);
  const at = then.findIndex((part, index) => part !== now[index]);
  if (at >= 0 && then[at]! < now[at]!)
    throw new Error(`${asked} comes before ${current}, which is the current version`);
  return asked;
}

function partsOf(version: string): [number, number, number] {
  const parts = VERSION.exec(version)?.slice(1).map(Number);
  if (!parts) throw new Error(`${version} is not a version: use major, minor, patch, or three numbers such as 1.2.3`);
  return parts as [number, number, number];
}

/** The files that contain the version, each with a function that replaces it. */
export const VERSIONED: Record<string, (text: string, version: string) => string> = {
  "package.json": withVersion,
  ...Object.fromEntries(packageManifests().map((path) => [path, withVersions])),
  "server.json": withVersion,
  "package-lock.json"(text, version) {
    const lock = JSON.parse(text) as { version: string; packages: { "": { version: string } } };
    lock.version = version;
    lock.packages[""].version = version;
    return `${JSON.stringify(lock, null, 2)}\n`;
  },
};

function withVersion(text: string, version: string): string {
  return text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`);
}

/** Replaces the version of a package for npm, and the versions of the project's own packages that it needs. */
function withVersions(text: string, version: string): string {
  return withVersion(text, version).replaceAll(/("@overprint\/\w+": )"[^"]*"/g, `$1"${version}"`);
}

/** Returns the paths of the manifests of the packages for npm, relative to the checkout. */
export function packageManifests(): string[] {
  const paths = globSync("packages/*/package.json", { cwd: root }).map((path) => path.replaceAll("\\", "/"));
  return paths.filter((path) => !/"private": true/.test(readFileSync(join(root, path), "utf8"))).toSorted();
}

const UNRELEASED = "## Unreleased\n";

/**
 * Moves the unreleased entries of the changelog (keepachangelog.com) under the heading of a version. Returns the new
 * text of the changelog and the moved entries.
 * @param day date of the release, as YYYY-MM-DD
 * @throws Error if there are no unreleased entries, or if the version already has a heading
 */
export function releasedChangelog(text: string, version: string, day: string): { text: string; notes: string } {
  const [before, after] = text.split(UNRELEASED);
  const notes = after?.split(/^## /m)[0]?.trim();
  if (before === undefined || !notes) throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
  if (text.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a heading for ${version} already`);
  return { text: `${before}${UNRELEASED}\n## ${version} - ${day}\n${after}`, notes };
}
