import { DEBIAN } from "../fonts/sources.ts";
import { COPIED } from "./licenses.ts";

/** As much of what esbuild says of a build as is read here. */
export interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** As much of `package-lock.json`. */
export interface Lock {
  version: string;
  packages: Record<string, { version?: string; resolved?: string; integrity?: string; license?: string }>;
}

/**
 * Returns the packages that a deployment has bytes of, as CycloneDX 1.6 (ECMA-424), with licenses and hashes of the lock
 * files, and those that `fonts/` is made of. `npm sbom` cannot tell: it refuses overridden peers, and with `--omit dev` leaves out what a tool depends on as well.
 * The document has neither time nor serial number, so that a release's can be made again.
 * @param fonts the lock file of `scripts/fonts`
 * @throws Error if a package is not in its lock file
 */
export function sbomOf(lock: Lock, metafiles: Metafile[], fonts: Lock) {
  const copied = Object.values(COPIED).flatMap((names) => names.map((name) => `node_modules/${name}`));
  const shipped = [...new Set([...metafiles.flatMap(packagesOf), ...copied])];
  const components = [
    ...shipped.map((folder) => componentOf(folder, lock)),
    ...Object.keys(fonts.packages).flatMap((folder) => (folder ? [componentOf(folder, fonts)] : [])),
    ...DEBIAN.packages.map(debianComponentOf),
  ].sort(byRef);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": `overprint@${lock.version}`,
        name: "overprint",
        version: lock.version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    // one version may be installed in several folders
    components: components.filter((component, at) => component["bom-ref"] !== components[at - 1]?.["bom-ref"]),
  };
}

/** Returns the folders of the packages that a build has bytes of, from the root of the checkout. */
function packagesOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const [, folder] = /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      return folder && bytesInOutput > 0 ? [folder] : [];
    }),
  );
}

function componentOf(folder: string, lock: Lock) {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const { version, resolved, integrity, license } = lock.packages[folder] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json does not say which ${folder} there is`);
  const [algorithm, digest] = integrity.split("-") as [string, string];
  return {
    type: "library",
    "bom-ref": `${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    hashes: [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }],
    ...(license && { licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(resolved && { externalReferences: [{ type: "distribution", url: resolved }] }),
  };
}

function debianComponentOf(name: string) {
  const { version } = DEBIAN;
  return {
    type: "library",
    "bom-ref": `${name}@${version}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${version}`,
    licenses: [{ license: { id: "OFL-1.1" } }],
  };
}

function byRef(one: { "bom-ref": string }, other: { "bom-ref": string }): number {
  return one["bom-ref"] < other["bom-ref"] ? -1 : 1;
}
