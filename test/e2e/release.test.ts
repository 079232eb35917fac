import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAMILIES } from "../../scripts/fonts/families.ts";
import { type Manifest, packageSbom } from "../../scripts/lib/packageSbom.ts";
import { packPackages } from "../../scripts/lib/packPackages.ts";
import { type Lock, sbomOf } from "../../scripts/lib/sbom.ts";
import { SOURCES, sha256, sourceHash } from "../../scripts/lib/sourceHash.ts";
import { nextVersion, packageManifests, releasedChangelog, VERSIONED } from "../../scripts/lib/versions.ts";

const root = join(import.meta.dirname, "../..");
const read = (name: string) => readFile(join(root, name), "utf8");

describe("the version", () => {
  test("all files that contain the project's version contain the same version", async () => {
    const { version } = JSON.parse(await read("package.json")) as { version: string };
    for (const [name, change] of Object.entries(VERSIONED))
      expect(change(await read(name), version)).toBe(await read(name));
  });

  test("a release changes nothing but the version in each file that contains the version", async () => {
    for (const [name, change] of Object.entries(VERSIONED)) {
      const [before, after] = [await read(name), change(await read(name), "7.8.9")];
      const linesBefore = before.split("\n");
      const lines = after.split("\n").filter((line, at) => line !== linesBefore[at]);
      const own = lines.filter((line) => /^ {4}"@overprint\/\w+": "7\.8\.9",?$/.test(line));
      const versions = lines.filter((line) => !own.includes(line)).map((line) => line.trim());
      expect([name, ...new Set(versions)]).toEqual([name, '"version": "7.8.9",']);
      expect(versions).toHaveLength(name === "package-lock.json" ? 2 : 1);
      if (!name.startsWith("packages/")) expect(own).toEqual([]);
    }
  });

  test.each([
    ["1.2.3", "patch", "1.2.4"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3", "major", "2.0.0"],
    ["1.2.3", "1.10.0", "1.10.0"],
    ["0.1.0", "0.1.0", "0.1.0"], // For the first release, the new version may equal the current one.
  ])("npm run release for version %s with the argument %s releases version %s", (current, asked, next) => {
    expect(nextVersion(current, asked)).toBe(next);
  });

  test.each(["1.2.2", "0.9.9", "v1.3.0", "1.3", "1.3.0-beta", "01.3.0", "next", ""])(
    "npm run release after version 1.2.3 rejects the argument %j",
    (asked) => {
      expect(() => nextVersion("1.2.3", asked)).toThrow(/comes before|not a version/);
    },
  );
});

describe("the changelog", () => {
  const log = "# Changelog\n\n## Unreleased\n\n### Added\n- A thing.\n\n## 0.9.0 - 2026-01-01\n\n- Old.\n";

  test("a release moves the unreleased entries of the changelog under its version and date", () => {
    const { text, notes } = releasedChangelog(log, "1.0.0", "2026-11-22");
    expect(text).toBe(log.replace("## Unreleased\n", "## Unreleased\n\n## 1.0.0 - 2026-11-22\n"));
    expect(notes).toBe("### Added\n- A thing.");
  });

  test("a release is rejected if the changelog has no new entries or already contains the version", () => {
    const { text } = releasedChangelog(log, "1.0.0", "2026-11-22");
    expect(() => releasedChangelog(text, "1.0.1", "2026-11-22")).toThrow("nothing under");
    expect(() => releasedChangelog(log, "0.9.0", "2026-11-22")).toThrow("already");
    expect(() => releasedChangelog("# Changelog\n", "1.0.0", "2026-11-22")).toThrow("nothing under");
  });

  test("CHANGELOG.md begins with the unreleased entries", async () => {
    expect((await read("CHANGELOG.md")).match(/^## .*$/m)?.[0]).toBe("## Unreleased");
  });
});

test("the SBOM of a release contains the bundled packages with their hashes and licenses", async () => {
  const lock = JSON.parse(await read("package-lock.json")) as Lock;
  const inputs = {
    "src/app.ts": { bytesInOutput: 10 },
    "node_modules/hono/dist/hono.js": { bytesInOutput: 10 },
    "../node_modules/@noble/hashes/sha2.js": { bytesInOutput: 10 },
    "node_modules/viem/node_modules/@noble/hashes/sha2.js": { bytesInOutput: 10 },
    "node_modules/leven/index.js": { bytesInOutput: 0 },
  };
  const fonts = JSON.parse(await read("scripts/fonts/package-lock.json")) as Lock;
  const { components } = sbomOf(lock, [{ outputs: { "index.js": { inputs } } }], fonts);
  expect(components.map(({ name }) => name).filter((name) => !/noto/.test(name))).toEqual([
    "@fontsource-variable/schibsted-grotesk",
    "@noble/hashes",
    "@noble/hashes",
    "harfbuzzjs",
    "hono",
    "pdfjs-dist",
  ]);
  const { version, integrity } = lock.packages["node_modules/hono"]!;
  expect(components.find(({ name }) => name === "hono")).toMatchObject({
    purl: `pkg:npm/hono@${version}`,
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity!.slice(7), "base64").toString("hex") }],
    licenses: [{ license: { id: "MIT" } }],
  });
  const unknown = { "node_modules/nothing/index.js": { bytesInOutput: 1 } };
  expect(() => sbomOf(lock, [{ outputs: { "index.js": { inputs: unknown } } }], fonts)).toThrow("node_modules/nothing");
});

test("the SBOM of a release contains the sources in fonts/ with the fonts' license", async () => {
  const locks = ["package-lock.json", "scripts/fonts/package-lock.json"];
  const [lock, fonts] = await Promise.all(locks.map(async (name) => JSON.parse(await read(name)) as Lock));
  const { components } = sbomOf(lock!, [], fonts!);
  const noto = components.filter(({ name }) => /noto/.test(name));
  const sources = FAMILIES.flatMap(({ regular, bold }) => [regular, bold ?? regular]);
  const paths = sources.flatMap((source) => ("npm" in source ? [source.npm] : []));
  const packages = new Set(paths.map((path) => path.split("/").slice(0, 2).join("/")));
  expect(new Set(noto.flatMap(({ name, purl }) => (purl.startsWith("pkg:npm/") ? [name] : [])))).toEqual(packages);
  const debian = noto.flatMap(({ purl }) => (purl.startsWith("pkg:deb/") ? [purl] : []));
  expect(debian).toEqual(["pkg:deb/debian/fonts-noto-core@20201225-1", "pkg:deb/debian/fonts-noto-mono@20201225-1"]);
  for (const { licenses } of noto) expect(JSON.stringify(licenses)).toContain("OFL-1.1");
});

describe("the packages for npm", () => {
  const locks = async () =>
    Promise.all(
      ["package-lock.json", "scripts/fonts/package-lock.json"].map(
        async (name) => JSON.parse(await read(name)) as Lock,
      ),
    ) as Promise<[Lock, Lock]>;
  const manifestOf = async (name: string) => JSON.parse(await read(`packages/${name}/package.json`)) as Manifest;

  test("a release sets the versions of the npm packages client, engine and fonts", () => {
    for (const name of ["client", "engine", "fonts"])
      expect(VERSIONED).toHaveProperty([`packages/${name}/package.json`]);
  });

  test("the SBOM of an npm package contains what npm installs with the package, in the locked versions", async () => {
    const [lock, fonts] = await locks();
    const { metadata, components } = packageSbom(await manifestOf("client"), lock, fonts);
    expect(metadata.component).toMatchObject({ type: "library", name: "@overprint/client" });
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["@noble/hashes", "@x402/core", "@x402/evm", "@x402/fetch", "viem", "ox"]),
    );
    expect(names).not.toContain("hono");
    for (const { hashes } of components) expect(hashes).toHaveLength(1);
    const zod = components.filter(({ name }) => name === "zod").map(({ version }) => version);
    expect(zod).toEqual([lock.packages["node_modules/@x402/core/node_modules/zod"]!.version]);
  });

  test("the SBOM of an npm package contains everything that the build copies or bundles into the package", async () => {
    const [lock, fonts] = await locks();
    const namesOf = (manifest: Manifest, licenses?: string) =>
      packageSbom(manifest, lock, fonts, licenses).components.map(({ name }) => name);
    const engine = namesOf(await manifestOf("engine"));
    expect(engine).toEqual(expect.arrayContaining(["harfbuzzjs", "fonts-noto-core", "pako"]));
    const { version } = lock.packages["node_modules/commander"]!;
    const bundle = {
      name: "@overprint/x",
      version: "1.0.0",
      license: "MIT",
      dependencies: { "@overprint/fonts": "1.0.0" },
    };
    expect(namesOf(bundle, `commander ${version}, MIT\n\nCopyright 2011`)).toEqual(["@overprint/fonts", "commander"]);
    expect(() => namesOf(bundle, "commander 0.0.1, MIT\n")).toThrow("does not list commander 0.0.1");
  });

  test("every published package lists its changelog among its files", async () => {
    const manifests = packageManifests();
    expect(manifests).toHaveLength(4);
    const listed = await Promise.all(manifests.map(async (path) => JSON.parse(await read(path)).files as string[]));
    expect(listed).toEqual(manifests.map(() => ["dist", "README.md", "CHANGELOG.md"]));
  });

  test("a release packs a package with its changelog, and lists the checksums of the archive and the SBOM", async () => {
    const out = await mkdtemp(join(tmpdir(), "overprint-packed-"));
    try {
      const hashes = await packPackages(root, out, ["packages/client/package.json"], await locks());
      const { version } = await manifestOf("client");
      const archive = `packages/overprint-client-${version}.tgz`;
      expect([...hashes.keys()].sort()).toEqual(["packages/client.cdx.json", archive]);
      for (const [path, hash] of hashes) expect(sha256(await readFile(join(out, path)))).toBe(hash);
      const files = execFileSync("tar", ["-tzf", join(out, archive)], { encoding: "utf8" }).split("\n");
      const expected = [
        "CHANGELOG.md",
        "README.md",
        "dist/LICENSE.txt",
        "dist/index.d.ts",
        "dist/index.js",
        "package.json",
      ];
      expect(files).toEqual(expect.arrayContaining(expected.map((name) => `package/${name}`)));
    } finally {
      await rm(out, { recursive: true });
    }
  });
});

test("the command in SECURITY.md computes the hash of the sources that a release publishes, and a changed source changes the hash", async () => {
  const [, command] = /^```sh\n(git ls-files .*)\n```$/m.exec(await read("SECURITY.md"))!;
  for (const name of SOURCES) expect(command!.split(" ")).toContain(name);
  const folder = await mkdtemp(join(tmpdir(), "overprint-sources-"));
  try {
    for (const name of SOURCES.filter((name) => name !== "fonts"))
      await cp(join(root, name), join(folder, name), { recursive: true });
    await cp(join(root, "fonts/OFL.txt"), join(folder, "fonts/OFL.txt"));
    const git = (...words: string[]) => execFileSync("git", words, { cwd: folder });
    git("init", "--quiet");
    git("add", ".");
    const { stdout } = await promisify(execFile)("sh", ["-c", command!], { cwd: folder });
    const hash = await sourceHash(folder);
    expect(stdout.split(" ")[0]).toBe(hash);
    await writeFile(join(folder, "src/index.ts"), "changed");
    expect(await sourceHash(folder)).not.toBe(hash);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe("npm run release", () => {
  let folder = "";
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" });
  const release = (...words: string[]) =>
    promisify(execFile)(process.execPath, [join(root, "scripts/release.ts"), ...words], { cwd: folder }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "overprint-release-"));
    for (const name of Object.keys(VERSIONED)) await cp(join(root, name), join(folder, name));
    await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- A thing.\n");
    git("init", "--quiet", "--initial-branch", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@example.com");
    git("add", ".");
    git("commit", "--quiet", "--message", "All");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("npm run release with --dry-run prints the steps and changes nothing", async () => {
    const said = await release("99.0.0", "--dry-run");
    expect(said).toMatch(
      /-> 99\.0\.0, of .*, with the 1 lines? under "Unreleased" in CHANGELOG\.md.*\nNothing was done/,
    );
    expect(said).not.toContain("A thing");
    expect([git("status", "--porcelain"), git("tag")]).toEqual(["", ""]);
  });

  test("npm run release rejects a malformed version, a branch other than main, uncommitted changes and an existing tag", async () => {
    expect(await release()).toMatch(/^Not released: say which version/);
    expect(await release("next")).toMatch(/^Not released: next is not a version/);
    expect(await release("minor", "--dry")).toMatch(/^Not released: Unknown option '--dry'/);
    git("tag", "v99.0.0");
    expect(await release("99.0.0")).toMatch(/^Not released: the tag v99\.0\.0 already exists/);
    git("switch", "--quiet", "--create", "other");
    expect(await release("minor")).toMatch(/^Not released: releases are made from main, but other/);
    git("switch", "--quiet", "main");
    await writeFile(join(folder, "new.txt"), "");
    expect(await release("minor")).toMatch(/^Not released: there are uncommitted changes.*new\.txt/s);
    await rm(join(folder, "new.txt"));
  });

  test("npm run release restores everything if the build fails", async () => {
    // The build fails, because this repository has no sources.
    expect(await release("minor", "--checked")).toMatch(/^Not released: Command failed/m);
    expect([git("status", "--porcelain", "--untracked-files=no"), git("log", "--format=%s")]).toEqual(["", "All\n"]);
  });
});
