import type { Compatibility } from "../lib/compatibility.ts";
import type { Deployed } from "./deployed.ts";

/** A result of the check. If a result has `next`, the operator must take this step before the upgrade. */
export interface Finding {
  line: string;
  next?: string;
}

/** An upgrade must wait if the deadline of a claim is less than this time away, in milliseconds. */
const DEADLINE_MS = 6 * 3_600_000;
/** Age above which an open payment is reported as late, in milliseconds. */
const LATE_MS = 600_000;

/**
 * Compares a deployment with the build that replaces it.
 * @param set names of the settings that the operator sets
 * @param now Unix milliseconds
 */
export function compare(deployed: Deployed, here: Compatibility, set: readonly string[], now: number): Finding[] {
  return [
    ...healthOf(deployed),
    ...settingsOf(deployed.build, here, set),
    ...storageOf(deployed, here),
    ...paymentsOf(deployed, here, now),
    ...channelsOf(deployed, now),
  ];
}

function healthOf({ health: { status, problems } }: Deployed): Finding[] {
  if (status === "pass") return [];
  if (status === "warn") return problems.map((problem) => ({ line: `/healthz warns: ${problem}` }));
  return [
    {
      line: `Nothing can be sold now: ${problems.join("; ")}`,
      next: "Correct this first, so that a problem of the upgrade is visible",
    },
  ];
}

function settingsOf(before: Compatibility | undefined, here: Compatibility, set: readonly string[]): Finding[] {
  if (!before)
    return [
      { line: 'The deployment does not list its settings. Read "For operators" in CHANGELOG.md for new settings' },
    ];
  const [old, all] = [before.settings, here.settings];
  const added = Object.keys(all).filter((name) => !(name in old));
  const removed = Object.keys(old).filter((name) => !(name in all));
  const changed = Object.keys(all).filter((name) => name in old && old[name] !== all[name] && !set.includes(name));
  return [
    ...added.map((name) => ({
      line: `New setting: ${name}, ${all[name] ? `by default ${all[name]}` : "not set by default"}`,
    })),
    ...removed.map((name) =>
      set.includes(name)
        ? {
            line: `Removed setting, which you set: ${name}`,
            next: `Delete ${name} from your settings, and at Cloudflare`,
          }
        : { line: `Removed setting: ${name}` },
    ),
    ...changed.map((name) => ({
      line: `New default of ${name}: ${all[name] || "none"}, before ${old[name] || "none"}`,
    })),
  ];
}

function storageOf({ build }: Deployed, here: Compatibility): Finding[] {
  const lost = (build?.durableObjects ?? []).filter((name) => !here.durableObjects.includes(name));
  const before = versionOf(build);
  return [
    ...lost.map((name) => ({
      line: `This checkout has no Durable Objects of the class ${name}, so deploying it deletes their records`,
      next: `Restore [exports.${name}] in wrangler.toml`,
    })),
    ...(before > here.records
      ? [
          {
            line: `The deployment writes records of version ${before}, and this checkout reads at most version ${here.records}`,
            next: 'Check out a newer commit. docs/operate.md, "Roll back", says what an older one cannot do',
          },
        ]
      : []),
    ...(before < here.records
      ? [
          {
            line: `Records change from version ${before} to ${here.records}. The deployed build cannot read them, so make a backup`,
          },
        ]
      : []),
  ];
}

/** Returns the version of the records that a build writes. Builds that do not describe themselves write version 1. */
function versionOf(build: Compatibility | undefined): number {
  return build?.records ?? 1;
}

function paymentsOf({ openPayments, build }: Deployed, here: Compatibility, now: number): Finding[] {
  if (!openPayments)
    return [{ line: "The deployment does not list its open payments. They continue after the upgrade" }];
  const count = openPayments.length;
  if (count === 0) return [{ line: "No payment is open" }];
  const late = openPayments.filter((at) => at + LATE_MS < now).length;
  const line = `${count} open payments${late > 0 ? `, ${late} of them for more than ten minutes` : ""}`;
  if (versionOf(build) === here.records) return [{ line: `${line}. They continue after the upgrade` }];
  return [{ line, next: "Set SELLING=false for the running build, and wait until no payment is open" }];
}

function channelsOf({ openChannels }: Deployed, now: number): Finding[] {
  if (!openChannels) return [];
  const urgent = openChannels.filter(({ deadline }) => deadline && deadline.getTime() < now + DEADLINE_MS).length;
  if (urgent > 0)
    return [
      {
        line: `${urgent} payment channels must be claimed within six hours`,
        next: "Wait for the claims, or run npm run channels -- --claim --key-file FILE",
      },
    ];
  const count = openChannels.length;
  return [
    {
      line:
        count === 0
          ? "No payment channel has unclaimed sales"
          : `${count} payment channels have unclaimed sales. They are claimed after the upgrade`,
    },
  ];
}
