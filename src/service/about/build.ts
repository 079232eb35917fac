import * as z from "zod";
import { once } from "../../shared/once.ts";

/** Schema of the build that a deployment runs. */
export const build = once(() =>
  z.strictObject({
    version: z.string().describe("Version of Overprint, as in its CHANGELOG."),
    source: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe("SHA-256 of the sources. SECURITY.md shows how to compute it from a checkout."),
  }),
);

/** The build that a deployment runs. */
export type Build = z.output<ReturnType<typeof build>>;

/** Minimum time before the service repeats a failed read of the build, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

/** The last result and its time (Unix milliseconds). The assets of a deployment do not change. */
const lastRead = new WeakMap<Fetcher, { built: Build | undefined; at: number }>();

/**
 * Returns the build of the deployment, which `scripts/buildSite.ts` has written. Returns undefined if the build cannot
 * be read.
 */
export async function buildOf(assets: Fetcher | undefined): Promise<Build | undefined> {
  if (!assets) return undefined;
  const last = lastRead.get(assets);
  if (last && (last.built || Date.now() < last.at + ASK_AGAIN_MS)) return last.built;
  const built = await readBuild(assets).catch(() => undefined);
  lastRead.set(assets, { built, at: Date.now() });
  return built;
}

async function readBuild(assets: Fetcher): Promise<Build> {
  return build().parse(await (await assets.fetch("https://assets.local/build.json")).json());
}
