import * as z from "zod";
import { once } from "../../shared/once.ts";

/** What a deployment was built from. */
export const build = once(() =>
  z.strictObject({
    version: z.string().describe("Of Overprint, as in its CHANGELOG."),
    source: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe("SHA-256 of the sources: SECURITY.md says how to make it from a checkout."),
  }),
);

/** A value of {@link build}. */
export type Build = z.output<ReturnType<typeof build>>;

/** For so long, what could not be read is not asked for again. */
const ASK_AGAIN_MS = 60_000;

/** What was read last, and when (Unix milliseconds): a deployment's assets do not change. */
const lastRead = new WeakMap<Fetcher, { built: Build | undefined; at: number }>();

/** Returns what the deployment was built from, as `scripts/buildSite.ts` has written it; undefined if it cannot be read. */
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
