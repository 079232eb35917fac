import type { MiddlewareHandler } from "hono";
import { configOf } from "../config.ts";
import type { ApiEnv } from "./environment.ts";

/** Reads the deployment's settings, once for a request. @throws Error where they are wrong */
export const readSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("config", configOf(c.env));
  await next();
};
