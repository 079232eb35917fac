/**
 * The parts of `npm run check:packages` for `@overprint/client`: the packed client buys from a local Worker in Node.js,
 * Deno, Bun, a browser and a Worker.
 */
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { watermark } from "../../src/engine/index.ts";
import { loadFont } from "../lib/loadFont.ts";
import { startWorker } from "../lib/worker.ts";

const here = import.meta.dirname;
const CONTRACT = join(here, "../../examples/contract.pdf");

/**
 * Runs the parts. `inRuntime` runs a program with a runtime, `titleOf` opens a site, and `inWorker` runs a script as a
 * Worker and posts the sample to it.
 * @param {string} folder the folder where the client is installed
 * @param {{ part: (name: string, act: () => Promise<unknown>) => Promise<void>, runtimes: Record<string, string[]>,
 * inRuntime: (command: string[], args: string[]) => Promise<string>, titleOf: (site: string) =>
 * Promise<string>, inWorker: (script: string) => Promise<string> }} tools
 */
export async function checkClient(folder, { part, runtimes, inRuntime, titleOf, inWorker }) {
  await copyFile(join(here, "buyer.mjs"), join(folder, "buyer.mjs"));
  const digest = await expectedDigest();
  const expectBought = (/** @type {string} */ printed) => {
    if (printed.trim() !== digest) throw new Error(`got ${printed.slice(0, 300)} instead of ${digest}`);
  };
  const service = await startWorker();
  try {
    for (const [name, command] of Object.entries(runtimes))
      await part(`client with ${name}`, async () => {
        expectBought(await inRuntime(command, ["buyer.mjs", service.url, CONTRACT]));
      });
    await part("client in a browser", async () => {
      const site = join(folder, "client");
      const code = `import { buy } from "./buyer.mjs";
const pdf = await (await fetch("/contract.pdf")).blob();
document.title = await buy("${service.url}", pdf);`;
      await writeFile(join(folder, "buyerPage.mjs"), code);
      await build({
        ...{ absWorkingDir: folder, entryPoints: ["buyerPage.mjs"], outdir: site, bundle: true, minify: true },
        ...{ format: "esm", platform: "browser", target: "es2022", logLevel: "error", external: ["node:*"] },
      });
      await writeFile(join(site, "index.html"), '<!doctype html><script type="module" src="/buyerPage.js"></script>');
      expectBought(await titleOf(site));
      return `${Math.round((await readFile(join(site, "buyerPage.js"))).length / 1000)} KB minified with viem and x402`;
    });
    await part("client in a Worker", async () => {
      const code = `import { buy } from "./buyer.mjs";
export default { fetch: async (request) => new Response(await buy("${service.url}", await request.blob())) };`;
      await writeFile(join(folder, "buyerWorker.mjs"), code);
      expectBought(await inWorker("buyerWorker.mjs"));
    });
  } finally {
    await service.stop();
  }
}

/** Returns the SHA-256 of the result that the service must deliver. */
async function expectedDigest() {
  const options = { filename: "watermarked.pdf", loadFont };
  const marked = await watermark(new Uint8Array(await readFile(CONTRACT)), { text: "DRAFT" }, options);
  const hash = createHash("sha256");
  for await (const chunk of marked.chunks()) hash.update(chunk);
  return hash.digest("hex");
}
