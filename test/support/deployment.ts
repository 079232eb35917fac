import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { offerOf, TEXT } from "./client.ts";

const PAY_TO = `0x${"aa".repeat(20)}` as const;

/**
 * Creates a deployment with a facilitator of this behavior. `verified` returns the number of verifications that the
 * facilitator received. Calls have no default key, because the tests repeat one request with new payments.
 */
export function deployment(behavior: string, bindings: object = {}) {
  const FACILITATOR_URL = `https://facilitator.example.com/${behavior}-${crypto.randomUUID()}`;
  const call = async (init: RequestInit & { address?: string }, path = TEXT) => {
    const context = createExecutionContext();
    const headers = new Headers(init.headers);
    if (init.address) headers.set("CF-Connecting-IP", init.address);
    headers.set("Host", "api.example.com");
    const request = new Request(`https://api.example.com${path}`, { method: "POST", ...init, headers });
    const response = await app.fetch(
      request,
      { ...env, PAY_TO, FACILITATOR_URL, DEFAULT_KEY: "false", ...bindings },
      context,
    );
    const answer = { status: response.status, text: await response.text(), headers: response.headers };
    await waitOnExecutionContext(context);
    return answer;
  };
  const verified = async () => {
    const counted = await fetch(`${FACILITATOR_URL}/count`, { method: "POST", body: "{}" });
    return (await counted.json<{ verify: number }>()).verify;
  };
  return { call, verified, FACILITATOR_URL };
}

/** Returns the payment terms of the deployment for a call. */
export const terms = async () => ({ ...(await offerOf(TEXT)), payTo: PAY_TO });
