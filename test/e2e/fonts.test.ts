import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { type Built, buildFonts } from "../../scripts/fonts/build.ts";
import { FAMILIES } from "../../scripts/fonts/families.ts";
import { fromNpm, openSources } from "../../scripts/fonts/sources.ts";

const root = join(import.meta.dirname, "../..");
const fonts = join(root, "fonts");

/** Returns the committed fonts in the same form as a font build. */
function committed(): Built {
  const files = readdirSync(fonts, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return {
    files: new Map(files.map((path) => [relative(fonts, path), readFileSync(path)])),
    index: readFileSync(join(root, "src/engine/fonts/families.ts"), "utf8"),
  };
}

/**
 * Defines a test that needs the font sources. They take 350 MB and are needed only to change a font. The script
 * `.ci/run` installs and checks them in CI.
 */
const testWithSources = test.skipIf(!existsSync(join(root, "scripts/fonts/node_modules")));

testWithSources(
  "`npm run build:fonts` reproduces the committed fonts (needs `npm ci` in scripts/fonts)",
  () => {
    const built = buildFonts(FAMILIES, openSources(FAMILIES));
    const { files, index } = committed();
    expect([...built.files.keys()].sort()).toEqual([...files.keys()].sort());
    const differing = [...built.files].filter(([path, bytes]) => Buffer.compare(bytes, files.get(path)!) !== 0);
    expect(differing.map(([path]) => path)).toEqual([]);
    expect(built.index).toBe(index);
  },
  60_000,
);

test("a font build lists every missing source and changes nothing", () => {
  expect(() => openSources([fromNpm("noto-sans-nowhere", "NotoSansNowhere")])).toThrow(
    /nothing was changed:\n +@expo-google-fonts\/noto-sans-nowhere\/400Regular\/.*npm ci.*\n.*700Bold/,
  );
  const kept = { debian: "NotoSansNowhere-Regular.ttf", kept: "noto-sans-nowhere-regular.ttf" };
  expect(() => openSources([{ name: "nowhere", regular: kept }], [join(root, "node_modules")])).toThrow(
    /NotoSansNowhere-Regular\.ttf.*fonts-noto-core/,
  );
});
