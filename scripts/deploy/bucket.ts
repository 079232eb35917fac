import { refusedBy } from "./failure.ts";
import type { LifecycleRule } from "./lifecycle.ts";
import { commandLine, type Wrangler } from "./wrangler.ts";

/** The wrangler commands that set up the bucket, in order. */
export const bucketCommands = {
  rules: (bucket: string) => ["r2", "bucket", "lifecycle", "list", bucket],
  create: (bucket: string) => ["r2", "bucket", "create", bucket],
  addRule: (bucket: string, { name, prefix, expireDays, abortDays }: LifecycleRule) => [
    ...["r2", "bucket", "lifecycle", "add", bucket, name, prefix, "--expire-days", String(expireDays)],
    ...(abortDays === undefined ? [] : ["--abort-multipart-days", String(abortDays)]),
    "--force", // skips the confirmation, because wrangler has no terminal to ask on
  ],
  localUploads: (bucket: string) => ["r2", "bucket", "local-uploads", "get", bucket],
  enableLocalUploads: (bucket: string) => ["r2", "bucket", "local-uploads", "enable", bucket, "--force"],
};

/** R2's error code for a bucket that does not exist. */
const NO_BUCKET = /code: 10006/;

/**
 * Creates the bucket, adds its lifecycle rules, and enables R2's local uploads, which are received near the caller.
 * Steps that are already done are skipped. An existing bucket or rule is not changed.
 * @returns the steps that were done, and a warning for each existing rule that differs
 * @throws Failure if Cloudflare refuses
 */
export async function prepareBucket(
  wrangler: Wrangler,
  bucket: string,
  rules: readonly LifecycleRule[],
): Promise<{ done: string[]; warnings: string[] }> {
  const run = async (args: string[]) => {
    const { ok, stdout, reason } = await wrangler(args);
    if (!ok) throw refusedBy(commandLine(args), reason);
    return stdout;
  };

  const done: string[] = [];
  const warnings: string[] = [];
  const listed = await wrangler(bucketCommands.rules(bucket));
  if (!listed.ok) {
    if (!NO_BUCKET.test(listed.reason)) throw refusedBy(commandLine(bucketCommands.rules(bucket)), listed.reason);
    await run(bucketCommands.create(bucket));
    done.push("created");
  }
  const known = rulesIn(listed.stdout);
  for (const rule of rules) {
    if (known.some((other) => isSame(other, rule))) continue;
    if (known.some(({ name }) => name === rule.name)) {
      const remove = commandLine(["r2", "bucket", "lifecycle", "remove", bucket, "--name", rule.name]);
      warnings.push(
        `The lifecycle rule ${rule.name} of ${bucket} is not "${actionOf(rule)}". Run \`${remove}\`, then deploy again`,
      );
      continue;
    }
    await run(bucketCommands.addRule(bucket, rule));
    done.push(`lifecycle rule ${rule.name} added`);
  }
  if (!/uploads are enabled/.test(await run(bucketCommands.localUploads(bucket)))) {
    await run(bucketCommands.enableLocalUploads(bucket));
    done.push("local uploads enabled");
  }
  return { done, warnings };
}

/** Parses the list of rules that wrangler prints: blocks of `label: value`. */
function rulesIn(printed: string): Record<string, string>[] {
  return printed
    .split(/\n\s*\n/)
    .map((block) =>
      Object.fromEntries(Array.from(block.matchAll(/^(\w+): +(.*?)\s*$/gm), ([, label, value]) => [label, value])),
    )
    .filter(({ name }) => name !== undefined);
}

/** Returns the action of a rule as wrangler prints it. */
function actionOf({ expireDays, abortDays }: LifecycleRule): string {
  const abort = abortDays === undefined ? "" : `, Abort incomplete multipart uploads after ${abortDays} days`;
  return `Expire objects after ${expireDays} days${abort}`;
}

function isSame({ prefix, enabled, action }: Record<string, string>, rule: LifecycleRule): boolean {
  return prefix === rule.prefix && enabled === "Yes" && action === actionOf(rule);
}
