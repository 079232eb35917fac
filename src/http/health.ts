import type { Context, Handler } from "hono";
import { buildOf } from "../service/about/build.ts";
import { type Health, healthOf } from "../service/about/health.ts";
import { isLoopback } from "../shared/net/loopback.ts";
import type { ApiEnv } from "./environment.ts";

/** Path of the health check for operators and their monitoring. */
export const HEALTH = "/healthz";

/** Answers a health check. The status is 503 if the deployment cannot sell anything. */
export const health: Handler<ApiEnv> = async (c) =>
  answerHealth(c, await healthOf(c.var.config, c.env, isLoopback(c.req.raw)));

/** Sends the outcome of a health check together with the build information. */
export async function answerHealth(c: Context<ApiEnv>, found: Health): Promise<Response> {
  const built = await buildOf(c.env.ASSETS);
  return c.json({ ...found, ...built }, found.status === "fail" ? 503 : 200, { "Cache-Control": "no-store" });
}
