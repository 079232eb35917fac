import type { Handler } from "hono";
import { OPEN_PAYMENTS } from "../payments/ledger/openList.ts";
import { type Health, healthOf } from "../service/about/health.ts";
import { openClaims } from "../service/account/channels.ts";
import { lastSweep } from "../shared/counters.ts";
import { countersText, metricText, type Sample } from "../shared/exposition.ts";
import { isLoopback } from "../shared/net/loopback.ts";
import type { ApiEnv } from "./environment.ts";

/** Path of the metrics for the operator's monitoring. */
export const METRICS = "/metrics";

/** Help text of each gauge, by name. */
const GAUGES = {
  overprint_health: "1 for the current status of /healthz, 0 for the others.",
  overprint_health_problems: "Problems that /healthz lists.",
  overprint_last_sweep_timestamp_seconds: "Time of the last sweep in this isolate.",
  overprint_open_payments: "Payments whose sale is not completed.",
  overprint_oldest_open_payment_timestamp_seconds: "Start of the settlement of the oldest open payment.",
  overprint_open_channels: "Payment channels with unclaimed sales.",
  overprint_oldest_unclaimed_timestamp_seconds: "Time of the oldest sale that is not claimed.",
  overprint_claim_deadline_timestamp_seconds: "First deadline of a claim.",
} as const;

/** Maximum number of open payments that are counted. */
const MAX_PAYMENTS = 1000;

const STATUSES: Health["status"][] = ["pass", "warn", "fail"];

/**
 * Sends metrics in the Prometheus text format: the counters of this isolate, and the deployment's health and unclaimed
 * channels.
 */
export const sendMetrics: Handler<ApiEnv> = async (c) => {
  const { config } = c.var;
  const { status, problems } = await healthOf(config, c.env, isLoopback(c.req.raw));
  const claims = config.channelKey === undefined ? undefined : await openClaims(c.env);
  const open = await c.env.LEDGER.getByName(OPEN_PAYMENTS).openPayments(MAX_PAYMENTS);
  const samples: Record<keyof typeof GAUGES, Sample[]> = {
    overprint_health: STATUSES.map((each) => [{ status: each }, Number(each === status)]),
    overprint_health_problems: [[{}, problems.length]],
    overprint_last_sweep_timestamp_seconds: atSeconds(lastSweep()),
    overprint_open_payments: [[{}, open.length]],
    overprint_oldest_open_payment_timestamp_seconds: atSeconds(open.map(({ at }) => at).toSorted((a, b) => a - b)[0]),
    overprint_open_channels: claims ? [[{}, claims.count]] : [],
    overprint_oldest_unclaimed_timestamp_seconds: atSeconds(claims?.oldest),
    overprint_claim_deadline_timestamp_seconds: atSeconds(claims?.deadline),
  };
  const names = Object.keys(GAUGES) as (keyof typeof GAUGES)[];
  const gauges = names.map((name) => metricText(name, "gauge", GAUGES[name], samples[name]));
  return c.text(countersText() + gauges.join(""), 200, {
    "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    "Cache-Control": "no-store",
  });
};

/** Returns a time as a metric sample in seconds, or no sample if the time is undefined. */
function atSeconds(ms: number | undefined): Sample[] {
  return ms === undefined ? [] : [[{}, ms / 1000]];
}
