import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type Offer, signPayment } from "../../scripts/lib/pay.ts";
import { app } from "../../src/app.ts";

const FACILITATOR = {
  FACILITATOR_URL: "https://facilitator.example.com/good",
  PAY_TO: "0x00000000000000000000000000000000000000aa",
};

/** Pays for a call whose `file` is a URL on the service's own machine. Returns the problem code. */
async function call(origin: string, settings: Record<string, string>, headers: Record<string, string> = {}) {
  const ask = async (init: RequestInit): Promise<unknown> => {
    const context = createExecutionContext();
    const request = new Request(`${origin}/v1/watermark/text`, { method: "POST", ...init });
    const response = await app.fetch(request, { ...env, ...settings }, context);
    // Reads the answer, because the service would otherwise drain the unread body for 2 s.
    const answer = await response.json();
    await waitOnExecutionContext(context);
    return answer;
  };
  const { accepts } = (await ask({})) as { accepts: Offer[] };
  const problem = await ask({
    headers: { "Content-Type": "application/json", "X-PAYMENT": await signPayment(accepts[0]!), ...headers },
    body: JSON.stringify({ file: "http://127.0.0.1:8080/a.pdf", text: "A" }),
  });
  return (problem as { code: string }).code;
}

/**
 * Problem code after an attempt to fetch the file. The attempt fails, because tests cannot connect to loopback
 * addresses.
 */
const FETCH_TRIED = "source_unreachable";
const NOT_ALLOWED = "source_not_allowed";
const LOCAL = "http://127.0.0.1:8787";
const allowed = { ALLOW_LOOPBACK_SOURCES: "true" };

test.each<[string, string, Record<string, string>, Record<string, string>]>([
  [FETCH_TRIED, LOCAL, allowed, {}],
  [FETCH_TRIED, LOCAL, { ...allowed, ...FACILITATOR }, {}],
  [NOT_ALLOWED, LOCAL, {}, {}],
  [NOT_ALLOWED, LOCAL, { ALLOW_LOOPBACK_SOURCES: "false" }, {}],
  [NOT_ALLOWED, LOCAL, allowed, { Origin: "https://page.example.com" }],
  [NOT_ALLOWED, "https://api.example.com", { ...allowed, ...FACILITATOR }, {}],
  [NOT_ALLOWED, LOCAL, { ...allowed, ...FACILITATOR }, { "CF-Connecting-IP": "203.0.113.7" }],
])(
  "a call for a file on a loopback address ends with %s if sent to %s with the settings %j and the headers %j",
  async (code, origin, settings, headers) => {
    expect(await call(origin, settings, headers)).toBe(code);
  },
);
