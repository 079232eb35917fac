import type { MiddlewareHandler } from "hono";
import { missingBindings, settledConfig } from "../service/about/health.ts";
import { refuseBlockedAddress } from "../service/limits/blockList.ts";
import { ICON } from "../service/sale/serviceMetadata.ts";
import { type Config, configOf, fileHostOf } from "../settings/config.ts";
import { SettingsError } from "../settings/settingsError.ts";
import { Problem } from "../shared/problems.ts";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";
import { answerHealth, HEALTH } from "./health.ts";

/**
 * Paths that are served even if settings are invalid: paid results, the assets of error pages, and the rules for
 * crawlers.
 */
const WITHOUT_SETTINGS = [`${FILES}/`, "/assets/", "/fonts/", ICON, "/robots.txt"];

/**
 * Provides the deployment's settings to the handlers of a request.
 * @throws Problem not_configured if settings or bindings are invalid. The log and {@link HEALTH} give the operator the
 * reason
 */
export const readSettings: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { method, path } = c.req;
  const isHealthCheck = path === HEALTH && (method === "GET" || method === "HEAD");
  try {
    const config = configOf(c.env);
    c.set("config", config);
    c.set("fileHost", config.fileHost);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    c.set("fileHost", fileHostOf(c.env));
    if (isHealthCheck) return answerHealth(c, { status: "fail", problems: cause.problems });
    if (!WITHOUT_SETTINGS.some((free) => path.startsWith(free))) throw notConfigured(cause);
  }
  const missing = missingBindings(c.env);
  if (missing.length > 0 && !isHealthCheck) throw notConfigured(new SettingsError(missing));
  return next();
};

function notConfigured(cause: SettingsError): Problem {
  const detail =
    "This deployment's settings are invalid, and its operator has to correct them. Try again later. Nothing was charged.";
  return new Problem("not_configured", detail, { cause });
}

/**
 * Refuses calls, uploads and payment links from blocked addresses. Pages, downloads and the operator's routes stay
 * available.
 * @throws Problem blocked
 */
export const refuseBlocked: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { config }: { config?: Config } = c.var; // undefined if the settings are invalid
  const isWork = c.req.method === "POST" || c.req.method === "PUT";
  if (config && isWork && !c.req.path.startsWith("/v1/operator/")) refuseBlockedAddress(c.req.raw, config);
  await next();
};

/**
 * Gives the handlers settings without the networks on which no facilitator settles payments. Runs only for routes whose
 * answers offer payments.
 */
export const dropUnsettledNetworks: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.set("config", await settledConfig(c.var.config));
  await next();
};
