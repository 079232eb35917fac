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

/** A step of a deployment. */
export interface Step {
  /** Name of the step, as in the message "left to do: …". */
  name: string;
  /** Commands that a dry run prints instead of running the step. */
  commands: string[];
  run: () => Promise<Found>;
  /** Whether the step runs only in a dry run. */
  isDry?: true;
}

/** Returns the steps of a deployment in order. */
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
      `${commandLine(bucketCommands.create(bucket))}   # if it does not exist`,
      ...rules.map((rule) => `${commandLine(bucketCommands.addRule(bucket, rule))}   # if it does not exist`),
      commandLine(bucketCommands.localUploads(bucket)),
      `${commandLine(bucketCommands.enableLocalUploads(bucket))}   # if they are not enabled`,
    ],
    run: async () => {
      const { done, warnings } = await prepareBucket(wrangler, bucket, rules);
      return { line: `Bucket ${bucket}: ${done.join(", ") || "exists, with its rules"}`, warnings };
    },
  };
  const names = Object.keys(settings.secrets);
  const secrets: Step = {
    name: "the secrets",
    commands: names.map((name) => `${commandLine(["secret", "put", name])}   # reads its value from standard input`),
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
      if (settings.areElsewhere) return { line: `${url}/healthz reports whether they are valid` };
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
