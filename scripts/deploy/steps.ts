import { bucketCommands, prepareBucket } from "./bucket.ts";
import type { Deployment } from "./deployment.ts";
import { refusedBy } from "./failure.ts";
import { waitUntilHealthy } from "./health.ts";
import { lifecycleRules } from "./lifecycle.ts";
import type { Ready } from "./ready.ts";
import type { Found } from "./report.ts";
import { buyFrom } from "./testSale.ts";
import { upload } from "./upload.ts";
import { commandLine } from "./wrangler.ts";

/** Something that is done to the account. */
export interface Step {
  /** As in "left to do: …". */
  name: string;
  /** What a dry run prints instead. */
  commands: string[];
  run: () => Promise<Found>;
  /** Whether it is done in a dry run, and only there. */
  isDry?: true;
}

/** Returns what is to be done, in its order. */
export function stepsOf(
  { bucket, isDry, patienceMs, pauseMs }: Deployment,
  { settings, wrangler, sale }: Ready,
): Step[] {
  const rules = lifecycleRules(settings.config);
  const variables = Object.entries(settings.vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  let url = "https://…";
  const put = async (name: string, value: string) => {
    const { ok, reason } = await wrangler(["secret", "put", name], { input: value });
    if (!ok) throw refusedBy(commandLine(["secret", "put", name]), reason);
  };

  const prepare: Step = {
    name: "the bucket",
    commands: [
      commandLine(bucketCommands.rules(bucket)),
      `${commandLine(bucketCommands.create(bucket))}   # if there is none`,
      ...rules.map((rule) => `${commandLine(bucketCommands.addRule(bucket, rule))}   # if it is not there`),
      commandLine(bucketCommands.localUploads(bucket)),
      `${commandLine(bucketCommands.enableLocalUploads(bucket))}   # if they are not`,
    ],
    run: async () => {
      const { done, warnings } = await prepareBucket(wrangler, bucket, rules);
      return { line: `Bucket ${bucket}: ${done.join(", ") || "there, with its rules"}`, warnings };
    },
  };
  const names = Object.keys(settings.secrets);
  const secrets: Step = {
    name: "the secrets",
    commands: names.map((name) => `${commandLine(["secret", "put", name])}   # its value from standard input`),
    run: async () => {
      for (const [name, value] of Object.entries(settings.secrets)) await put(name, value);
      return { line: `Secrets: ${names.join(", ")}` };
    },
  };
  const build: Step = {
    name: "the build",
    commands: [],
    isDry: true,
    run: async () => {
      const { ok, reason } = await wrangler(["deploy", ...variables, "--dry-run"]);
      if (!ok) throw refusedBy(commandLine(["deploy", "--dry-run"]), reason);
      return { line: "The Worker builds" };
    },
  };
  const deploy: Step = {
    name: "the deployment",
    commands: [commandLine(["deploy", ...variables])],
    run: async () => {
      url = await upload(wrangler, variables);
      return { line: `Deployed: ${url}` };
    },
  };
  const health: Step = {
    name: "its health",
    commands: [`GET ${url}/healthz   # until it passes`],
    run: async () => {
      if (settings.areElsewhere) return { line: `${url}/healthz says whether they are right` };
      const warnings = await waitUntilHealthy(url, patienceMs, pauseMs);
      return { line: `Healthy: ${url}/healthz`, warnings };
    },
  };
  const buy: Step[] = sale
    ? [
        {
          name: "the test sale",
          commands: [`POST ${url}/v1/watermark/text   # paid on ${sale.networks.map(({ name }) => name).join(" or ")}`],
          run: async () => ({ line: (await buyFrom(url, sale.payer, sale.networks)).join("\n  ") }),
        },
      ]
    : [];
  return [prepare, ...(names.length > 0 ? [secrets] : []), ...(isDry ? [build] : []), deploy, health, ...buy];
}
