/** The operator's route that deletes results. */
import type { Handler } from "hono";
import { takeDownResults } from "../service/account/takedown.ts";
import { Problem } from "../shared/problems.ts";
import { isResultId } from "../storage/results.ts";
import type { ApiEnv } from "./environment.ts";

/** Path at which the operator deletes results. */
export const RESULTS = "/v1/operator/results";

/**
 * Deletes the result with the id `id`, or all results of the payer `payer`.
 * @throws Problem invalid_request
 */
export const removeResults: Handler<ApiEnv> = async (c) => {
  const { id, payer } = c.req.query();
  const isOne = (id === undefined) !== (payer === undefined);
  if (!isOne || (id !== undefined && !isResultId(id)) || (payer !== undefined && !/^\w{32,64}$/.test(payer)))
    throw new Problem("invalid_request", "Send either `id`, the id in the path of a link, or `payer`, an address.");
  const removed = await takeDownResults(c.env, id === undefined ? { payer: payer! } : { id });
  return c.json({ removed }, 200, { "Cache-Control": "no-store" });
};
