import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const [, build = "", served = ""] = readFileSync(join(ROOT, "Dockerfile"), "utf8").split(/^FROM .*$/m);

/** Returns the files that the COPY lines of a build stage copy, with their target folder. */
function copiesOf(stage: string) {
  return Array.from(stage.matchAll(/^COPY (?:--from=build )?(.+) (\S+)$/gm), ([, sources, target]) => ({
    sources: sources!.split(" "),
    target: target!,
  }));
}

/** Returns the local files and the packages that a script imports, directly or through other files. */
function importsOf(script: string, found = { files: new Set<string>(), packages: new Set<string>() }) {
  if (found.files.has(script)) return found;
  found.files.add(script);
  const text = readFileSync(join(ROOT, script), "utf8");
  for (const [, name = ""] of text.matchAll(/^(?!import type).*?(?:\bfrom|\bimport\()\s*"([^"]+)"/gm)) {
    if (name.startsWith(".")) importsOf(posix.join(posix.dirname(script), name), found);
    else if (!name.startsWith("node:")) found.packages.add(name);
  }
  return found;
}

describe("the Dockerfile", () => {
  const sources = [...copiesOf(build), ...copiesOf(served)].flatMap(({ sources }) => sources);
  const own = sources.filter((source) => !/^\/(etc|serve)\b|^\/app\/dist$|^\.$/.test(source));

  test.each(own.map((source) => source.replace(/^\/app\//, "")))(
    "the Dockerfile copies only files that exist in the repository: %s",
    (source) => {
      expect(existsSync(join(ROOT, source))).toBe(true);
    },
  );

  const { files, packages } = importsOf("scripts/serve.ts");
  const copied = copiesOf(served).flatMap(({ sources, target }) =>
    sources.map((source) => posix.join(target, basename(source)).replace(/^\.\//, "")),
  );

  test("the Dockerfile copies every file that scripts/serve.ts imports", () => {
    expect(files.size).toBeGreaterThan(2);
    expect([...files].filter((file) => !copied.includes(file))).toEqual([]);
  });

  test("the Dockerfile installs every package that scripts/serve.ts imports", () => {
    const folder = mkdtempSync(join(tmpdir(), "overprint-manifest-"));
    try {
      execFileSync(process.execPath, ["scripts/serveManifest.mjs", folder], { cwd: ROOT });
      const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      expect(Object.keys(dependencies).toSorted()).toEqual([...packages].toSorted());
      const lockIn = (at: string) => JSON.parse(readFileSync(join(at, "package-lock.json"), "utf8")).packages;
      const [lock, own] = [lockIn(folder), lockIn(ROOT)];
      expect(lock[""].dependencies).toEqual(dependencies);
      for (const name of packages) expect(lock[`node_modules/${name}`]).toEqual(own[`node_modules/${name}`]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the Dockerfile installs only packages from a lock file", () => {
    expect(build + served).not.toMatch(/npm (install|i)\b/);
  });
});
