import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const root = join(import.meta.dirname, "../..");

/**
 * Packages whose files are copied into the deployment without bundling. src/engine/platform and scripts/buildSite.ts
 * name the files.
 */
export const COPIED = {
  Worker: ["harfbuzzjs"],
  page: ["@fontsource-variable/schibsted-grotesk", "harfbuzzjs", "pdfjs-dist"],
};

/**
 * Returns the text of docs/licenses.md, which lists every package whose code or files a deployment contains.
 * @param bundles esbuild's metafiles of the Worker and the page
 * @throws Error if a package states no license
 */
export function licensesDocument(bundles: Record<keyof typeof COPIED, Metafile>): string {
  const partsOf = new Map<string, Set<string>>();
  for (const part of ["Worker", "page"] as const)
    for (const folder of [...COPIED[part].map((name) => `node_modules/${name}`), ...packagesIn(bundles[part])]) {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      if (!license) throw new Error(`${name} names no license`);
      const row = `[${name}](https://www.npmjs.com/package/${name}) | ${version} | ${license}`;
      partsOf.set(row, (partsOf.get(row) ?? new Set()).add(part));
    }
  const rows = [...partsOf].map(([row, parts]) => `| ${row} | ${[...parts].join(", ")} |`);
  return `# Licenses of deployed code

Overprint itself is under the MIT license. A deployment contains code or files of the packages below, in the Worker or in the
page's assets. \`npm run licenses\` writes this list from esbuild's record of the bundles.

| package | version | license | part |
|---|---|---|---|
${rows.sort().join("\n")}

The fonts in \`fonts/\` are under the SIL Open Font License 1.1. Their notices are in \`fonts/OFL.txt\`. Parts of pdf.js have
separate licenses: PDFium's JBIG2 decoder, OpenJPEG, qcms, QuickJS, and the Foxit and Liberation fonts. Their texts are in the
pdf.js package, beside the files.
`;
}

/** Returns the folders of the packages that contribute code to a bundle. */
export function packagesIn({ outputs }: Metafile): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return used.flatMap((path) => /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}
