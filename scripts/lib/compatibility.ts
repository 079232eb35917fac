import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { RECORD_VERSION } from "../../src/payments/ledger/recordStorage.ts";
import { settings } from "../../src/settings/schema.ts";

/** Path at which a deployment describes what an upgrade can change. `scripts/buildSite.ts` writes the file. */
export const COMPATIBILITY = "/assets/compatibility.json";

/** Schema of the parts of a build that an upgrade can change: the records, the classes of Durable Objects, and the settings. */
export const compatibility = z.object({
  /** Version of the records in Durable Objects. */
  records: z.int(),
  /** Classes of Durable Objects. Removing a class deletes its objects. */
  durableObjects: z.array(z.string()),
  /** The default of each setting, as text; empty for a setting without a default. */
  settings: z.record(z.string(), z.string()),
});

/** The parts of a build that an upgrade can change. */
export type Compatibility = z.output<typeof compatibility>;

/** Describes the build of a checkout. */
export async function compatibilityOf(root: string): Promise<Compatibility> {
  const wrangler = await readFile(join(root, "wrangler.toml"), "utf8");
  return {
    records: RECORD_VERSION,
    durableObjects: Array.from(wrangler.matchAll(/^\[exports\.(\w+)\]/gm), ([, name]) => name!),
    settings: Object.fromEntries(
      Object.entries(settings.shape).map(([name, schema]) => [name, textOf(schema.safeParse(undefined).data)]),
    ),
  };
}

/** Returns the default of a setting as text. A price is an object with its text in `label`. */
function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "");
  if ("label" in value) return String(value.label);
  return Array.isArray(value) ? value.join(",") : JSON.stringify(value);
}
