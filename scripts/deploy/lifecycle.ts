import type { Config } from "../../src/settings/config.ts";

/** A rule by which R2 deletes what the sweep has missed, and, with `abortDays`, uploads that were never completed. */
export interface LifecycleRule {
  name: string;
  prefix: string;
  expireDays: number;
  abortDays?: number;
}

const DAY_SECONDS = 86_400;

/**
 * The bucket's lifecycle rules, one for each prefix that the service stores under. They count days from when an object was
 * stored, and links end to the second without them, so that for results there is a day more than links work.
 */
export function lifecycleRules({ linkTtlSeconds }: Pick<Config, "linkTtlSeconds">): LifecycleRule[] {
  return [
    { name: "results", prefix: "results/", expireDays: Math.ceil(linkTtlSeconds / DAY_SECONDS) + 1 },
    { name: "spool", prefix: "spool/", expireDays: 1, abortDays: 1 },
    { name: "uploads", prefix: "uploads/", expireDays: 1 },
  ];
}
