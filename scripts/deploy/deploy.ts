import type { Deployment } from "./deployment.ts";
import { unforeseen } from "./failure.ts";
import { checkAll } from "./ready.ts";
import { complain, tell } from "./report.ts";
import { stepsOf } from "./steps.ts";
import { commandLine } from "./wrangler.ts";

/**
 * Deploys: checks everything first, then prepares the bucket, puts the secrets, deploys, waits until the deployment is
 * healthy, and buys from it. It can be run again at any time: what is done already is left as it is.
 * @returns whether all of it went well
 */
export async function deploy(deployment: Deployment): Promise<boolean> {
  const { print, isDry } = deployment;
  const ready = await checkAll(deployment);
  if (!ready) {
    print("Nothing was changed.");
    return false;
  }
  const steps = stepsOf(deployment, ready);
  if (isDry) print(`→ ${commandLine(["whoami", "--json"])}`);
  for (const [at, step] of steps.entries()) {
    if (isDry) for (const command of step.commands) print(`→ ${command}`);
    if (isDry && !step.isDry) continue;
    try {
      tell(print, await step.run());
    } catch (error) {
      complain(print, unforeseen(error));
      const names = steps.map(({ name }) => name);
      print(`Done: ${names.slice(0, at).join(", ") || "nothing"}. Left: ${names.slice(at).join(", ")}.`);
      print("Run `npm run deploy` again once that is mended: what is done is left as it is.");
      return false;
    }
  }
  if (isDry) print("A dry run: nothing was changed, and Cloudflare was not asked.");
  return true;
}
