import type { Health } from "../../src/service/about/health.ts";
import { Failure } from "./failure.ts";

/**
 * Waits until a deployment says that it can sell.
 * @param patienceMs how long: a name of workers.dev that is new takes a minute or two to be known
 * @returns what it warns of
 * @throws Failure if it does not say so in that time
 */
export async function waitUntilHealthy(url: string, patienceMs: number, pauseMs: number): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask(url);
    if (typeof answer === "object" && answer.status !== "fail") return answer.problems;
    if (Date.now() > deadline)
      throw new Failure(
        `${url}/healthz does not pass: ${typeof answer === "object" ? answer.problems.join("; ") : answer}`,
        typeof answer === "object"
          ? "Mend the setting that it names"
          : `Open it in a browser: where a name is new, wait, and run this again; \`npx wrangler tail\` shows the log`,
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Returns how the deployment is, or why it does not say so. */
async function ask(url: string): Promise<Health | string> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) });
    const answer = (await response.json().catch(() => undefined)) as Partial<Health> | undefined;
    return answer?.status && answer.problems ? (answer as Health) : `it answers ${response.status}`;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
