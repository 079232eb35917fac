import type { MiddlewareHandler } from "hono";
import { configOf } from "../config.ts";
import type { ApiEnv } from "./environment.ts";

/**
 * Provides the deployment's settings to the handlers of a request.
 * @throws Error if the settings are wrong
 */
export const readSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("config", configOf(c.env));
  await next();
};
