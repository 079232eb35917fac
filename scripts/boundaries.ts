/**
 * Checks the import boundaries. Each row of `ALLOWED` lists the folders and files that one folder may import. Imports
 * of types count, too. A row also applies to subfolders that have no separate row.
 */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

const root = posix.join(import.meta.dirname.replaceAll("\\", "/"), "..");

/** Small files in `src/engine/` that every folder of the engine shares. */
const ENGINE_BASE = ["src/engine/bytes.ts", "src/engine/deflated.ts", "src/engine/errors.ts", "src/engine/lruCache.ts"];
/** The engine's public entry: the only engine file that other parts import. */
const ENGINE = "src/engine/index.ts";
const BELOW_SERVICE = [ENGINE, "src/payments", "src/inputs", "src/storage", "src/settings", "src/shared"];

/** The folders and files that each part of the project may import, besides the part's own files. */
const ALLOWED: Record<string, string[]> = {
  "src/engine": [],
  "src/engine/platform": ENGINE_BASE,
  "src/engine/pdf": [...ENGINE_BASE, "src/engine/platform"],
  "src/engine/pdf/content": ["src/engine/pdf/syntax"],
  "src/engine/fonts": [...ENGINE_BASE, "src/engine/platform", "src/engine/pdf"],
  "src/engine/images": [...ENGINE_BASE, "src/engine/platform", "src/engine/pdf"],
  "src/engine/marks": [
    ...ENGINE_BASE,
    "src/engine/options.ts",
    "src/engine/platform",
    "src/engine/pdf",
    "src/engine/fonts",
    "src/engine/images",
  ],
  "src/payments": [],
  "src/shared": [ENGINE, "src/payments/wire"],
  "src/settings": ["src/shared", "src/payments"],
  "src/inputs": [ENGINE, "src/shared"],
  "src/storage": [ENGINE, "src/shared"],
  "src/service": BELOW_SERVICE,
  "src/service/request": BELOW_SERVICE,
  "src/service/limits": [...BELOW_SERVICE, "src/service/request"],
  "src/service/sale": [...BELOW_SERVICE, "src/service/request", "src/service/limits"],
  "src/service/account": [...BELOW_SERVICE, "src/service/request", "src/service/limits", "src/service/sale"],
  "src/service/about": [...BELOW_SERVICE, "src/service"],
  "src/site": [...BELOW_SERVICE, "src/service"],
  "src/mcp": [...BELOW_SERVICE, "src/service"],
  "src/http": [...BELOW_SERVICE, "src/service", "src/site"],
  "src/app.ts": [...BELOW_SERVICE, "src/service", "src/site", "src/mcp", "src/http"],
  "src/index.ts": [...BELOW_SERVICE, "src/service", "src/app.ts"],
  web: [
    ENGINE,
    "src/inputs/sniff.ts",
    "src/payments/wire/networks.ts",
    "src/shared/problems.ts",
    "src/shared/partRanges.ts",
    "src/shared/sendParts.ts",
    "src/service/request/fieldKinds.ts",
    "src/service/request/fieldMessages.ts",
    "src/service/request/marks.ts",
    "src/service/request/schemas.ts",
    "src/service/sale/notices.ts",
    "src/site/fieldWords.ts",
    "src/site/presets.ts",
    "src/site/snippets.ts",
  ],
  packages: [ENGINE],
  "packages/cli": ["cli"],
  "packages/client": [
    ENGINE,
    "src/payments/wire",
    "src/service/request/schemas.ts",
    "src/service/sale/notices.ts",
    "src/settings/limits.ts",
    "src/shared",
  ],
  cli: [
    ENGINE,
    "packages/client",
    "src/inputs/sniff.ts",
    "src/payments/facilitators/localFacilitator.ts",
    "src/payments/wire",
    "src/service/request",
    "src/service/sale/notices.ts",
    "src/settings",
    "src/shared",
  ],
  "test/engine": ["src/engine", "test/support"],
  "test/payments": ["src/payments", "test/support"],
};
/** Packages that the engine may not import. Only `src/engine/platform/` may use features of a particular runtime. */
const ENGINE_PACKAGES = /^(node:|cloudflare:|hono\b|zod\b)/;

const isIn = (path: string, part: string) => path === part || path.startsWith(`${part}/`);
const rowOf = (path: string) =>
  Object.keys(ALLOWED)
    .filter((part) => isIn(path, part))
    .toSorted((a, b) => b.length - a.length)[0];

const faults: string[] = [];
for (const file of globSync("{src,web,cli,test,packages}/**/*.{ts,tsx}", { cwd: root })) {
  const path = file.replaceAll("\\", "/");
  const part = rowOf(path);
  if (part === undefined) continue;
  for (const [, name = ""] of readFileSync(posix.join(root, path), "utf8").matchAll(
    /(?:\bfrom|\bimport\(|^import)\s*"([^"]+)"/gm,
  )) {
    if (name.startsWith(".")) {
      const target = posix.join(posix.dirname(path), name);
      if (!/^(src|web|cli|test|packages)\//.test(target)) continue;
      if (![part, ...ALLOWED[part]!].some((allowed) => isIn(target, allowed)))
        faults.push(`${path} may not import ${target}`);
    } else if (part.startsWith("src/engine") && part !== "src/engine/platform" && ENGINE_PACKAGES.test(name))
      faults.push(`${path} may not import ${name}: features of a runtime belong in engine/platform`);
  }
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${Object.keys(ALLOWED).length} parts import only what scripts/boundaries.ts allows`);
