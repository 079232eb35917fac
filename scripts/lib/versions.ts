/** Versions (semver.org), and the files that name the one of Overprint. */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/**
 * Returns the version that comes after `current`, or the one that is asked for.
 * @param asked major, minor, patch, or a version
 * @throws Error if it is none of them, or a version before the current one
 */
export function nextVersion(current: string, asked: string): string {
  const now = partsOf(current);
  const [major, minor, patch] = now;
  if (asked === "major") return `${major + 1}.0.0`;
  if (asked === "minor") return `${major}.${minor + 1}.0`;
  if (asked === "patch") return `${major}.${minor}.${patch + 1}`;
  const then = partsOf(asked);
  const at = then.findIndex((part, index) => part !== now[index]);
  if (at >= 0 && then[at]! < now[at]!) throw new Error(`${asked} comes before ${current}, which is the version now`);
  return asked;
}

function partsOf(version: string): [number, number, number] {
  const parts = VERSION.exec(version)?.slice(1).map(Number);
  if (!parts) throw new Error(`${version} is no version: say major, minor, patch, or three numbers such as 1.2.3`);
  return parts as [number, number, number];
}

/** The files that say the version, and how each is changed to say another. */
export const VERSIONED: Record<string, (text: string, version: string) => string> = {
  "package.json": withVersion,
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

const UNRELEASED = "## Unreleased\n";

/**
 * Returns the changelog (keepachangelog.com) with what is unreleased under the heading of a version, and what that is.
 * @param day YYYY-MM-DD
 * @throws Error if nothing is unreleased, or the version has a heading already
 */
export function releasedChangelog(text: string, version: string, day: string): { text: string; notes: string } {
  const [before, after] = text.split(UNRELEASED);
  const notes = after?.split(/^## /m)[0]?.trim();
  if (before === undefined || !notes) throw new Error('CHANGELOG.md has nothing under "## Unreleased"');
  if (text.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has a heading for ${version} already`);
  return { text: `${before}${UNRELEASED}\n## ${version} - ${day}\n${after}`, notes };
}
