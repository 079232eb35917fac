import type { Health } from "../../src/service/about/health.ts";
import { Failure } from "./failure.ts";

/**
 * Waits until a deployment reports that it can sell.
 * @param patienceMs maximum wait: the DNS entry of a new workers.dev name takes a minute or two
 * @returns the deployment's warnings
 * @throws Failure if the deployment does not become healthy in that time
 */
export async function waitUntilHealthy(url: string, patienceMs: number, pauseMs: number): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask(url);
    if (typeof answer === "object" && answer.status !== "fail") return answer.problems;
    if (Date.now() > deadline)
      throw new Failure(
        `${url}/healthz fails: ${typeof answer === "object" ? answer.problems.join("; ") : answer}`,
        typeof answer === "object"
          ? "Correct the setting that it names"
          : `Open it in a browser. If the name is new, wait and run this again. \`npx wrangler tail\` shows the log`,
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Returns the deployment's health, or the reason why it could not be read. */
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
