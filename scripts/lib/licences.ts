import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** What is copied as it is, and so in no bundle: src/engine/platform and scripts/buildSite.ts name the files. */
export const COPIED = {
  Worker: ["harfbuzzjs"],
  page: ["@fontsource-variable/schibsted-grotesk", "harfbuzzjs", "pdfjs-dist"],
};

/**
 * Returns the text of docs/licences.md: each package that a deployment has code or files of.
 * @param bundles what esbuild says of the bundles of both
 * @throws Error if a package names no licence
 */
export function licencesDocument(bundles: Record<keyof typeof COPIED, Metafile>): string {
  const partsOf = new Map<string, Set<string>>();
  for (const part of ["Worker", "page"] as const)
    for (const folder of [...COPIED[part].map((name) => `node_modules/${name}`), ...packagesIn(bundles[part])]) {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
      if (!license) throw new Error(`${name} names no licence`);
      const row = `[${name}](https://www.npmjs.com/package/${name}) | ${version} | ${license}`;
      partsOf.set(row, (partsOf.get(row) ?? new Set()).add(part));
    }
  const rows = [...partsOf].map(([row, parts]) => `| ${row} | ${[...parts].join(", ")} |`);
  return `# Licences of what is deployed

Overprint itself is under the MIT licence. A deployment has code or files of these packages, in the Worker and in
what it serves for its page (\`npm run licences\` writes the list, from what esbuild has bundled):

| package | version | licence | part |
|---|---|---|---|
${rows.sort().join("\n")}

The fonts of \`fonts/\` are under the SIL Open Font License 1.1, with their notices in \`fonts/OFL.txt\`. pdf.js has parts under
licences of their own: PDFium's JBIG2 decoder, OpenJPEG, qcms, QuickJS, and the Foxit and Liberation fonts; their texts are in its
package, beside the files.
`;
}

/** Returns the folders of packages of which bundles have any code. */
function packagesIn({ outputs }: Metafile): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return used.flatMap((path) => /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}
