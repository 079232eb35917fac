import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { log } from "../log.ts";
import type { ApiEnv } from "./environment.ts";

/** Logs one line per request, once it has been answered. */
export const logRequest: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const began = Date.now();
  await next();
  const { problem, tool } = c.var;
  log({
    event: "request",
    request_id: c.var.requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    ...(problem && { code: problem }),
    ...(tool && { tool }),
    ms: Date.now() - began,
  });
};
