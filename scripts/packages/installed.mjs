/** Checks of a package that is installed alone: its size, and the command line without a network. */
import { cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "./runProgram.mjs";

const root = join(import.meta.dirname, "../..");
/** Maximum size of the installed command line, in MB. */
const MAX_CLI = 60;
/** Makes Node.js reject each connection. */
const OFFLINE = `data:text/javascript,${encodeURIComponent(
  'import net from "node:net"; net.Socket.prototype.connect = () => { throw new Error("no network"); };',
)}`;

/**
 * Installs a package into an empty folder, and checks that its README states its sizes. @param {string} name @param
 * {string[]} tarballs archive of the package, and of the packages that it depends on @param {string} folder
 */
export async function checkSizes(name, tarballs, folder) {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  await runProgram("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tarballs], folder);
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  const packed = megabytes((await stat(/** @type {string} */ (tarballs[0]))).size);
  const installed = megabytes(await bytesIn(join(folder, "node_modules")));
  const figures = `${packed} MB packed, ${installed} MB installed`;
  if (name === "cli" && Number(installed) > MAX_CLI) throw new Error(`${installed} MB installed, maximum ${MAX_CLI}`);
  const readme = (await readFile(join(root, "packages", name, "README.md"), "utf8")).replaceAll(/\s+/g, " ");
  if (!readme.includes(figures)) throw new Error(`its README does not say "${figures}"`);
  return figures;
}

/** Returns the size of all files in a folder. @param {string} folder */
async function bytesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Marks a file with the installed command line and without a network. The result must equal that of the sources. @param
 * {string} folder folder in which the command line is installed @param {string} node path of Node.js
 */
export async function checkCli(folder, node) {
  await cp(join(root, "examples/contract.pdf"), join(folder, "contract.pdf"));
  await writeFile(join(folder, "names.csv"), "name\nسري\n社外秘\n");
  const flags = [
    "mark",
    "contract.pdf",
    "--each",
    "names.csv",
    "--text",
    "{name} {page}",
    "--jobs",
    "2",
    "--overwrite",
  ];
  const started = performance.now();
  const program = join(folder, "node_modules/@overprint/cli/dist/overprint.js");
  await runProgram(node, ["--import", OFFLINE, program, ...flags, "-o", "packed/{name}.pdf"], folder);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  await runProgram(process.execPath, [join(root, "cli/overprint.js"), ...flags, "-o", "sources/{name}.pdf"], folder);
  for (const name of await readdir(join(folder, "sources"))) {
    const [one, other] = await Promise.all(["packed", "sources"].map((path) => readFile(join(folder, path, name))));
    if (Buffer.compare(one, other) !== 0) throw new Error(`${name} differs from the result of the sources`);
  }
  return `two files in ${seconds} s`;
}
