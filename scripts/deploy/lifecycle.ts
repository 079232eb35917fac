import type { Config } from "../../src/settings/config.ts";

/**
 * A lifecycle rule of R2. It deletes objects that the sweep missed. With `abortDays`, it also aborts incomplete
 * multipart uploads.
 */
export interface LifecycleRule {
  name: string;
  prefix: string;
  expireDays: number;
  abortDays?: number;
}

const DAY_SECONDS = 86_400;

/**
 * Returns the bucket's lifecycle rules, one for each prefix of the service's objects. R2 counts days from the upload.
 * The rule for results adds one day, so that R2 deletes no result whose link is still valid.
 */
export function lifecycleRules({ linkTtlSeconds }: Pick<Config, "linkTtlSeconds">): LifecycleRule[] {
  return [
    { name: "results", prefix: "results/", expireDays: Math.ceil(linkTtlSeconds / DAY_SECONDS) + 1 },
    { name: "spool", prefix: "spool/", expireDays: 1, abortDays: 1 },
    { name: "uploads", prefix: "uploads/", expireDays: 1 },
    { name: "quotes", prefix: "quotes/", expireDays: 1 },
  ];
}
