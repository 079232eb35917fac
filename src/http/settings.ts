import type { MiddlewareHandler } from "hono";
import { configOf } from "../config.ts";
import { Problem } from "../problems.ts";
import { settledConfig } from "../service/health.ts";
import type { ApiEnv } from "./environment.ts";
import { answerHealth, HEALTH } from "./health.ts";

/**
 * Provides the deployment's settings to the handlers of a request.
 * @throws Problem not_configured if the settings are wrong: the operator reads why in the log and at {@link HEALTH}
 */
export const readSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  try {
    c.set("config", configOf(c.env));
  } catch (cause) {
    if (c.req.path === HEALTH) return answerHealth(c, { status: "fail", problems: [(cause as Error).message] });
    throw new Problem(
      "not_configured",
      "The operator has to correct this deployment's settings. Nothing was charged; try again later.",
      { cause },
    );
  }
  return next();
};

/** Leaves of the settings what the facilitators settle, for requests that offer payments. */
export const leaveSettled: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("config", await settledConfig(c.var.config));
  await next();
};
