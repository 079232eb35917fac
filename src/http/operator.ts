/** Routes for the operator of the deployment. */
import type { Handler, MiddlewareHandler } from "hono";
import * as z from "zod";
import { listChannels } from "../service/account/channels.ts";
import { listSales } from "../service/account/sales.ts";
import { Problem } from "../shared/problems.ts";
import { tokenHash, tokenMatches } from "../storage/token.ts";
import type { ApiEnv } from "./environment.ts";
import { notFound } from "./errors.ts";

/** Path of the daily sales list. */
export const SALES = "/v1/operator/sales";

/** Path of the list of payment channels with unclaimed sales. */
export const OPEN_CHANNELS_PATH = "/v1/operator/channels";

/**
 * Admits only requests that send OPERATOR_TOKEN. If the setting is missing, the route does not exist.
 * @throws Problem not_found, invalid_token
 */
export const operatorOnly: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { operatorToken } = c.var.config;
  if (operatorToken === undefined) return notFound(c);
  const [, sent] = /^Bearer (\S{1,1000})$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  if (sent === undefined || !(await tokenMatches(sent, await tokenHash(operatorToken))))
    throw new Problem(
      "invalid_token",
      "This endpoint is for the operator. Send `Authorization: Bearer` with OPERATOR_TOKEN.",
    );
  await next();
};

/** Lists the payment channels with unclaimed sales. */
export const readChannels: Handler<ApiEnv> = async (c) =>
  c.json(await listChannels(c.env), 200, { "Cache-Control": "no-store" });

/** A calendar date (RFC 3339, full-date). */
const isoDate = z.iso.date();

/**
 * Lists the sales of a day.
 * @throws Problem invalid_request
 */
export const readSales: Handler<ApiEnv> = async (c) => {
  const { day = "", after } = c.req.query();
  if (!isoDate.safeParse(day).success)
    throw new Problem("invalid_request", "`day` is missing or is not a date. Send a UTC date such as 2026-11-22.");
  if (after !== undefined && !/^\d{15}:[\w:-]{1,300}$/.test(after))
    throw new Problem(
      "invalid_request",
      "`after` is not a valid page cursor. Use the `next` value of the previous page.",
    );
  return c.json(await listSales(c.env, c.var.config, day, after), 200, { "Cache-Control": "no-store" });
};
