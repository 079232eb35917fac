import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, refusedBy } from "./failure.ts";
import type { Wrangler } from "./wrangler.ts";

/**
 * Deploys the Worker and returns its address.
 * @throws Failure if Cloudflare refuses, or the Worker has no address
 */
export async function upload(wrangler: Wrangler, variables: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "overprint-deploy-"));
  try {
    const told = join(folder, "output.ndjson");
    const { ok, reason } = await wrangler(["deploy", ...variables], { env: { WRANGLER_OUTPUT_FILE_PATH: told } });
    if (!ok) throw refusedBy("npx wrangler deploy", reason);
    const lines = (await readFile(told, "utf8")).trim().split("\n");
    const { targets = [] } = lines
      .map((line) => JSON.parse(line) as { type: string; targets?: string[] })
      .findLast(({ type }) => type === "deploy")!;
    const [at] = targets.flatMap((target) => originOf(target) ?? []);
    if (at) return at;
    throw new Failure("The Worker is deployed, but has no address", "Set workers_dev or a route in wrangler.toml");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the origin of a deployment target that wrangler prints: a URL, or a host with a note. Returns undefined for a
 * route pattern.
 */
function originOf(target: string): string | undefined {
  const [place = ""] = target.split(" ");
  if (!place.includes(".") || place.replace(/\/\*$/, "").includes("*")) return undefined;
  return URL.parse(/^https?:/.test(place) ? place : `https://${place}`)?.origin;
}
