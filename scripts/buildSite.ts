/**
 * Builds the Worker's static assets into `dist/site/`: the page's client from `web/`, and the fonts. wrangler runs this
 * script before it bundles the Worker (`[build]` in wrangler.toml). Unchanged files are not rewritten, because a
 * running Worker would reload.
 */
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import manifest from "../package.json" with { type: "json" };
import { callersChangelog } from "./lib/callersChangelog.ts";
import { COMPATIBILITY, compatibilityOf } from "./lib/compatibility.ts";
import { errorRows } from "./lib/errorRows.ts";
import { retentionSections } from "./lib/retentionSections.ts";
import { sourceHash } from "./lib/sourceHash.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, "dist/site");
const assets = join(out, "assets");
const packages = join(root, "node_modules");
const pdfjs = join(packages, "pdfjs-dist");
/** Typeface of the page. */
const TYPEFACE = "@fontsource-variable/schibsted-grotesk/files/schibsted-grotesk-latin-wght-normal.woff2";

/** Data files that pdf.js fetches on demand while it draws a page, by folder. */
const PDFJS_DATA = {
  cmaps: /\.bcmap$/,
  iccs: /\.icc$/,
  standard_fonts: /\.(pfb|ttf)$/,
  wasm: /\.wasm$|_nowasm_fallback\.js$/,
};

// does nothing during a test run, which has already built the site and changes no source
if (process.env.SITE_BUILT_IN === root) process.exit();

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: [
    "web/site.css",
    "web/reading.css",
    "web/chat.css",
    "web/playground.ts",
    "web/chat.ts",
    "web/connect.ts",
    "web/docs.ts",
    "web/pay.ts",
    "web/upload.ts",
    "web/engine.worker.ts",
    "pdfjs-dist/build/pdf.worker.mjs",
  ],
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2023",
  minify: true,
  legalComments: "linked",
  // Files that a page requests by name have a fixed name. The names of other files contain a hash of their content, so
  // that browsers can cache them forever.
  entryNames: "[name]",
  chunkNames: "files/[name]-[hash]",
  assetNames: "files/[name]-[hash]",
  loader: { ".wasm": "file" },
  external: ["/assets/*"],
  publicPath: "/assets",
  outdir: assets,
  write: false,
  metafile: true,
});

const kept = new Set<string>();
for (const { path, contents } of outputFiles) await put(path, contents);
await put(join(assets, "schibsted-grotesk.woff2"), await readFile(join(packages, TYPEFACE)));
await put(join(assets, "sample.pdf"), await readFile(join(root, "examples/contract.pdf")));
await put(join(assets, "logo.png"), await readFile(join(root, "examples/logo.png")));
await put(join(out, "favicon.svg"), await readFile(join(root, "web/favicon.svg")));
await put(join(assets, "icon.png"), await readFile(join(root, "web/icon.png")));
await put(join(assets, "card.png"), await readFile(join(root, "web/card.png")));
const explanations = errorRows(await readFile(join(root, "docs/errors.md"), "utf8"));
await put(join(assets, "errors.json"), Buffer.from(JSON.stringify(explanations)));
const retention = retentionSections(await readFile(join(root, "docs/retention.md"), "utf8"));
await put(join(assets, "retention.json"), Buffer.from(JSON.stringify(retention)));
const changelog = callersChangelog(await readFile(join(root, "CHANGELOG.md"), "utf8"));
await put(join(assets, "changelog.json"), Buffer.from(JSON.stringify(changelog)));
await put(join(out, COMPATIBILITY), Buffer.from(JSON.stringify(await compatibilityOf(root))));
for (const name of await readdir(join(root, "web/pictures")))
  await put(join(assets, "pictures", name), await readFile(join(root, "web/pictures", name)));
for (const [folder, names] of Object.entries(PDFJS_DATA))
  for (const name of (await readdir(join(pdfjs, folder))).filter((file) => names.test(file)))
    await put(join(assets, "pdfjs", folder, name), await readFile(join(pdfjs, folder, name)));
await copyFonts();
// The route /healthz reports these two values.
const built = { version: manifest.version, source: await sourceHash(root) };
await put(join(out, "build.json"), Buffer.from(JSON.stringify(built)));
await removeOthers(out);
// licenses.ts and lib/sbom.ts read this file
await put(join(root, "dist/site.meta.json"), Buffer.from(JSON.stringify(metafile)));

/** Writes a file atomically, unless it already has these contents. */
async function put(path: string, contents: Uint8Array): Promise<void> {
  kept.add(path);
  const present = await readFile(path).catch(() => undefined);
  if (present && Buffer.compare(present, contents) === 0) return;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, contents);
  await rename(partial, path);
}

/** Copies the files of `fonts/` (52 MB, 840 files) whose size or date has changed. */
async function copyFonts(): Promise<void> {
  const fonts = join(root, "fonts");
  for (const entry of await readdir(fonts, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const to = join(out, "fonts", relative(fonts, from));
    kept.add(to);
    const [source, copy] = await Promise.all([stat(from), stat(to).catch(() => undefined)]);
    if (copy?.size === source.size && Math.abs(copy.mtimeMs - source.mtimeMs) < 1) continue;
    await cp(from, to, { preserveTimestamps: true });
  }
}

async function removeOthers(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // keeps the temporary files of builds that run at the same time
    if (entry.isFile() && !kept.has(path) && !/\.\d+$/.test(entry.name)) await rm(path, { force: true });
  }
}
