import { tracing } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { signPayment } from "../../scripts/lib/pay.ts";
import { STEPS } from "../../src/service/sale/steps.ts";
import { deployment, terms } from "../support/deployment.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const body = JSON.stringify({ file: "https://files.example.com/one-page.pdf", text: "A" });
const log = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => log.mockClear());

/** Returns the durations in the Server-Timing header by the name of the step. */
const timesIn = (headers: Headers) =>
  Object.fromEntries(
    headers
      .get("Server-Timing")!
      .split(", ")
      .map((entry) => {
        const [, name, ms] = /^([a-z]+);dur=(\d+)$/.exec(entry)!;
        return [`${name}_ms`, Number(ms)] as const;
      }),
  );
const lines = (event: string) =>
  log.mock.calls.map(([line]) => JSON.parse(String(line))).filter((line) => line.event === event);
const paid = async () => ({
  ...JSON_TYPE,
  "X-PAYMENT": await signPayment(await terms()),
  "Idempotency-Key": crypto.randomUUID(),
});

describe("Server-Timing", () => {
  test("the Server-Timing header and the log report the same durations, for the same steps as the traces", async () => {
    const { call } = deployment("good");
    const spans = vi.spyOn(tracing, "enterSpan");
    const { status, headers } = await call({ headers: await paid(), body });
    const names = spans.mock.calls.map(([name]) => name);
    spans.mockRestore();
    expect(status).toBe(200);
    const times = timesIn(headers);
    expect(Object.keys(times)).toEqual(STEPS.map((name) => `${name}_ms`));
    expect(new Set(names)).toEqual(new Set(STEPS));
    const line = lines("request").at(-1);
    expect(line).toMatchObject(times);
    expect(lines("sale")[0]).toMatchObject({ verify_ms: times.verify_ms, settle_ms: times.settle_ms });
    const sum = Object.values(times).reduce((total, ms) => total + ms, 0);
    expect(sum, "no step is counted twice").toBeLessThanOrEqual(line.ms);
  });

  test("the service allows pages of other origins to read the step durations", async () => {
    const { headers } = await deployment("good").call({
      headers: { ...(await paid()), Origin: "https://a.example" },
      body,
    });
    expect(headers.get("Timing-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Expose-Headers")?.split(",")).toContain("Server-Timing");
  });

  test("the Server-Timing header of a replayed call contains only the time for receiving the body", async () => {
    const { call } = deployment("good");
    const headers = await paid();
    await call({ headers, body });
    const again = await call({ headers, body });
    expect([again.status, Object.keys(timesIn(again.headers))]).toEqual([200, ["receive_ms"]]);
  });

  test("the service sends no Server-Timing header to a payer whose payment it refuses, but logs the durations", async () => {
    const { status, headers } = await deployment("forged").call({ headers: await paid(), body });
    expect([status, headers.get("Server-Timing")]).toEqual([402, null]);
    expect(lines("request").at(-1), "the operator does").toHaveProperty("verify_ms");
  });
});
