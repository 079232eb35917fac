/** Sources of `fonts/`: pinned npm packages, and files of Debian's packages that are identified by their hashes. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Debian's packages, their version, and the folder where they install their fonts. */
export const DEBIAN = {
  packages: ["fonts-noto-core", "fonts-noto-mono"],
  version: "20201225-1",
  folder: "/usr/share/fonts/truetype/noto",
};

/** SHA-256 of each file taken from Debian, by file name, in the format of `sha256sum`. */
const HASHES = new Map(
  readFileSync(join(import.meta.dirname, "debian.sha256"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => [line.slice(66), line.slice(0, 64)]),
);

/** A typeface to build. */
export interface FamilySource {
  readonly name: string;
  readonly regular: FontSource;
  readonly bold?: FontSource;
  /**
   * Returns whether this font family is used for a character. Without this function, the family is used for all
   * characters that it covers.
   */
  readonly accepts?: (character: string) => boolean;
  /** Whether the font is cut into slices, which contain only the accepted characters. */
  readonly sliced?: true;
}

/**
 * A font file. `npm` is a path in the packages of `scripts/fonts/package.json`. `debian` is a file name in Debian's
 * package, and `kept` is its name in `fonts/`.
 */
export type FontSource = { readonly npm: string } | { readonly debian: string; readonly kept: string };

/** Returns the family of an npm package `@expo-google-fonts/…`, in regular and bold. */
export function fromNpm(name: string, file: string): FamilySource {
  return { name, regular: expo(name, file, "400Regular"), bold: expo(name, file, "700Bold") };
}

/** Returns the family of an npm package `@expo-google-fonts/…`, in regular only. */
export function regularFromNpm(name: string, file: string): FamilySource {
  return { name, regular: expo(name, file, "400Regular") };
}

/** Returns a font family from Debian's packages, in regular. Adds bold if `HASHES` lists the file of the bold font. */
export function fromDebian(name: string, file: string): FamilySource {
  const kept = (weight: string) => ({ debian: `${file}-${weight}.ttf`, kept: `${name}-${weight.toLowerCase()}.ttf` });
  return { name, regular: kept("Regular"), ...(HASHES.has(`${file}-Bold.ttf`) && { bold: kept("Bold") }) };
}

function expo(name: string, file: string, weight: string): FontSource {
  return { npm: `@expo-google-fonts/${name}/${weight}/${file}_${weight}.ttf` };
}

/**
 * Reads the sources of `families`, and creates a function that returns the bytes of a source. Looks for Debian's files
 * in `folders`, in the folder where Debian's packages install them, and in `fonts/`, which contains copies.
 * @throws Error if a source of `families` is missing; the message lists every missing file and where to get it
 */
export function openSources(
  families: readonly FamilySource[],
  folders: readonly string[] = [],
): (source: FontSource) => Uint8Array<ArrayBuffer> {
  const found = new Map<FontSource, Uint8Array<ArrayBuffer>>();
  const missing: string[] = [];
  for (const source of families.flatMap(({ regular, bold }) => (bold ? [regular, bold] : [regular]))) {
    const bytes = "npm" in source ? readNpm(source.npm) : readDebian(source, folders);
    if (bytes) found.set(source, bytes);
    else if ("npm" in source) missing.push(`${source.npm}: run \`npm ci\` in scripts/fonts`);
    else
      missing.push(
        `${source.debian}, SHA-256 ${HASHES.get(source.debian)}: unpack Debian's ${DEBIAN.packages.join(" and ")} ${DEBIAN.version} and name the folder`,
      );
  }
  if (missing.length > 0) throw new Error(`fonts are missing, and nothing was changed:\n  ${missing.join("\n  ")}`);
  return (source) => found.get(source)!;
}

function readNpm(path: string): Uint8Array<ArrayBuffer> | undefined {
  const file = join(import.meta.dirname, "node_modules", path);
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
}

function readDebian(
  { debian, kept }: { debian: string; kept: string },
  folders: readonly string[],
): Uint8Array<ArrayBuffer> | undefined {
  const places = [...[...folders, DEBIAN.folder].map((folder) => join(folder, debian)), join(root, "fonts", kept)];
  for (const place of places.filter(existsSync)) {
    const bytes = new Uint8Array(readFileSync(place));
    if (createHash("sha256").update(bytes).digest("hex") === HASHES.get(debian)) return bytes;
  }
  return undefined;
}
