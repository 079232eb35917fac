import type { Deployment } from "./deployment.ts";
import { unforeseen } from "./failure.ts";
import { checkAll } from "./ready.ts";
import { complain, tell } from "./report.ts";
import { stepsOf } from "./steps.ts";
import { commandLine } from "./wrangler.ts";

/**
 * Checks everything, prepares the bucket, stores the secrets, deploys the Worker, waits until the deployment is
 * healthy, and buys a result from it. The function can be repeated at any time, because finished steps are skipped.
 * @returns whether every step succeeded
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
      print("Correct this and run `npm run deploy` again. Finished steps are skipped.");
      return false;
    }
  }
  if (isDry) print("Dry run: nothing was changed, and Cloudflare was not called.");
  return true;
}
