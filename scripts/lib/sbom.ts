import { DEBIAN } from "../fonts/sources.ts";
import { COPIED } from "./licenses.ts";

/** The parts of esbuild's metafile that this file reads. */
export interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The parts of `package-lock.json` that this file reads. */
export interface Lock {
  version: string;
  packages: Record<
    string,
    {
      version?: string;
      resolved?: string;
      integrity?: string;
      license?: string;
      dependencies?: Record<string, string>;
    }
  >;
}

/** A package, as CycloneDX describes it. */
interface Component {
  type: string;
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  licenses?: ({ expression: string } | { license: { id: string } })[];
  externalReferences?: { type: string; url: string }[];
}

/**
 * Returns the packages that contribute bytes to a deployment, as CycloneDX 1.6 (ECMA-424), with licenses and hashes
 * from the lock files. The sources of `fonts/` are included. `npm sbom` does not work here: it rejects overridden peer
 * dependencies, and its `--omit dev` drops the dependencies of tools. The document has no time and no serial number, so
 * that the document of a release can be reproduced.
 * @param fonts the lock file of `scripts/fonts`
 * @throws Error if a package is not in its lock file
 */
export function sbomOf(lock: Lock, metafiles: Metafile[], fonts: Lock) {
  const copied = Object.values(COPIED).flatMap((names) => names.map((name) => `node_modules/${name}`));
  const shipped = [...new Set([...metafiles.flatMap(packagesOf), ...copied])];
  const components = [...shipped.map((folder) => componentOf(folder, lock)), ...fontSources(fonts)];
  return documentOf("application", { name: "overprint", version: lock.version, license: "MIT" }, components);
}

/** Returns the sources of `fonts/`. @param lock the lock file of `scripts/fonts` */
export function fontSources(lock: Lock): Component[] {
  const folders = Object.keys(lock.packages).filter(Boolean);
  return [...folders.map((folder) => componentOf(folder, lock)), ...DEBIAN.packages.map(debianComponentOf)];
}

/** Returns a CycloneDX document about a product and its components. */
export function documentOf(
  type: "application" | "library",
  { name, version, license }: { name: string; version: string; license: string },
  components: Component[],
) {
  const sorted = components.toSorted(byRef);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type, "bom-ref": `${name}@${version}`, name, version, licenses: [licenseOf(license)] } },
    // removes duplicates, because npm may install one version in several folders
    components: sorted.filter((component, at) => component["bom-ref"] !== sorted[at - 1]?.["bom-ref"]),
  };
}

function licenseOf(license: string): { expression: string } | { license: { id: string } } {
  return /[ (]/.test(license) ? { expression: license } : { license: { id: license } };
}

/** Returns the folders of the packages that contribute bytes to a build, relative to the checkout. */
function packagesOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const [, folder] = /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      return folder && bytesInOutput > 0 ? [folder] : [];
    }),
  );
}

/** Returns the package URL (purl) of a package of npm. */
export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/**
 * Returns the package in a folder of a lock file.
 * @throws Error if the lock file does not list the package
 */
export function componentOf(folder: string, lock: Lock): Component {
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const { version, resolved, integrity, license } = lock.packages[folder] ?? {};
  if (!version || !integrity) throw new Error(`package-lock.json does not list the version of ${folder}`);
  const [algorithm, digest] = integrity.split("-") as [string, string];
  return {
    type: "library",
    "bom-ref": `${name}@${version}`,
    name,
    version,
    purl: npmPurl(name, version),
    hashes: [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") }],
    ...(license && { licenses: [licenseOf(license)] }),
    ...(resolved && { externalReferences: [{ type: "distribution", url: resolved }] }),
  };
}

function debianComponentOf(name: string): Component {
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

function byRef(one: Component, other: Component): number {
  return one["bom-ref"] < other["bom-ref"] ? -1 : 1;
}
