import type { MiddlewareHandler } from "hono";
import { ICON } from "../service/about/discovery.ts";
import { missingBindings, settledConfig } from "../service/about/health.ts";
import { configOf, fileHostOf, SettingsError } from "../settings/config.ts";
import { Problem } from "../shared/problems.ts";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";
import { answerHealth, HEALTH } from "./health.ts";

/** What has been paid for is given whatever the settings are, and the page of a problem looks as it should. */
const WITHOUT_SETTINGS = [`${FILES}/`, "/assets/", "/fonts/", ICON, "/robots.txt"];

/**
 * Provides the deployment's settings to the handlers of a request.
 * @throws Problem not_configured if they, or the bindings, are wrong: the operator reads why in the log and at {@link HEALTH}
 */
export const readSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { method, path } = c.req;
  const asksHealth = path === HEALTH && (method === "GET" || method === "HEAD");
  try {
    const config = configOf(c.env);
    c.set("config", config);
    c.set("fileHost", config.fileHost);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    c.set("fileHost", fileHostOf(c.env));
    if (asksHealth) return answerHealth(c, { status: "fail", problems: cause.problems });
    if (!WITHOUT_SETTINGS.some((free) => path.startsWith(free))) throw notConfigured(cause);
  }
  const missing = missingBindings(c.env);
  if (missing.length > 0 && !asksHealth) throw notConfigured(new SettingsError(missing));
  return next();
};

function notConfigured(cause: SettingsError): Problem {
  const detail = "The operator has to correct this deployment's settings. Nothing was charged; try again later.";
  return new Problem("not_configured", detail, { cause });
}

/** Leaves of the settings what the facilitators settle, for requests that offer payments. */
export const leaveSettled: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("config", await settledConfig(c.var.config));
  await next();
};
