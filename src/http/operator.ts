/** What is there for the operator of a deployment alone. */
import type { Handler, MiddlewareHandler } from "hono";
import * as z from "zod";
import { listSales } from "../service/account/sales.ts";
import { Problem } from "../shared/problems.ts";
import { tokenHash, tokenMatches } from "../storage/token.ts";
import type { ApiEnv } from "./environment.ts";
import { notFound } from "./errors.ts";

/** Where an operator reads the sales of a day. */
export const SALES = "/v1/operator/sales";

/** Lets the operator through: who has OPERATOR_TOKEN. Without one there is nothing here. */
export const operatorOnly: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { operatorToken } = c.var.config;
  if (operatorToken === undefined) return notFound(c);
  const [, sent] = /^Bearer (\S{1,1000})$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  if (sent === undefined || !(await tokenMatches(sent, await tokenHash(operatorToken))))
    throw new Problem("invalid_token", "This is for the operator: send Authorization: Bearer with OPERATOR_TOKEN.");
  await next();
};

/** A day that there is: RFC 3339, full-date. */
const isoDate = z.iso.date();

/** Lists the sales of a day. */
export const readSales: Handler<ApiEnv> = async (c) => {
  const { day = "", after } = c.req.query();
  if (!isoDate.safeParse(day).success)
    throw new Problem("invalid_request", "`day` must be a day (UTC), such as 2026-11-22.");
  if (after !== undefined && !/^\d{15}:[\w:-]{1,300}$/.test(after))
    throw new Problem("invalid_request", "`after` must be the `next` of an earlier answer.");
  return c.json(await listSales(c.env, c.var.config, day, after), 200, { "Cache-Control": "no-store" });
};
