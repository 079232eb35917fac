import type { Context, Handler } from "hono";
import { isLoopback } from "../loopback.ts";
import { type Health, healthOf } from "../service/health.ts";
import type { ApiEnv } from "./environment.ts";

/** Where operators and their monitors ask how a deployment is. */
export const HEALTH = "/healthz";

/** Answers a health check: 503 if nothing can be sold. */
export const health: Handler<ApiEnv> = async (c) =>
  answerHealth(c, await healthOf(c.var.config, c.env, isLoopback(c.req.raw)));

/** Sends the outcome of a health check. */
export function answerHealth(c: Context<ApiEnv>, found: Health): Response {
  return c.json(found, found.status === "fail" ? 503 : 200, { "Cache-Control": "no-store" });
}
