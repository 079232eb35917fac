/** The operator's routes for backups. */
import type { Handler } from "hono";
import * as z from "zod";
import { RECORD_VERSION } from "../payments/ledger/recordStorage.ts";
import { once } from "../shared/once.ts";
import { Problem } from "../shared/problems.ts";
import type { ApiEnv } from "./environment.ts";

/** Path at which the operator reads and restores the records of the ledger's Durable Objects. */
export const RECORDS = "/v1/operator/records";

const NO_STORE = { "Cache-Control": "no-store" };
/** Names of the Durable Objects that a backup contains. */
const OBJECT = /^(?:channels|payments|(?:sales|purchases|channel|key|same|eip155|solana):[\w:.-]{1,400})$/;

/** Latest time of an alarm in milliseconds, in the year 2160. Durable Objects reject alarms after 2189. */
const MAX_ALARM_MS = 6e12;

const page = once(() =>
  z.strictObject({
    version: z.int().min(1).default(1), // backups that older builds made contain no version
    alarm: z.int().max(MAX_ALARM_MS).nullable(),
    records: z.array(z.tuple([z.string().min(1), z.unknown()])).max(500),
  }),
);

/** Returns the name of a Durable Object from the query parameter `object`. @throws Problem invalid_request */
function objectIn(name = ""): string {
  if (!OBJECT.test(name)) throw new Problem("invalid_request", "`object` must be the name of an object of the ledger.");
  return name;
}

/**
 * Sends a page of the records of a Durable Object.
 * @throws Problem invalid_request
 */
export const sendRecords: Handler<ApiEnv> = async (c) => {
  const { object, after } = c.req.query();
  const text = await c.env.LEDGER.getByName(objectIn(object)).readRecords(after);
  return c.body(text, 200, { ...NO_STORE, "Content-Type": "application/json" });
};

/**
 * Restores the missing records of a Durable Object.
 * @throws Problem invalid_request if the body is malformed or the deployment is selling
 */
export const receiveRecords: Handler<ApiEnv> = async (c) => {
  const name = objectIn(c.req.query("object"));
  if (c.var.config.selling) throw new Problem("invalid_request", "Set SELLING=false before you restore records.");
  const sent = page().safeParse(await c.req.json().catch(() => undefined));
  if (!sent.success)
    throw new Problem("invalid_request", "The body is not a page of records. Send a page of a backup.");
  if (sent.data.version > RECORD_VERSION)
    throw new Problem(
      "invalid_request",
      "The backup is of a newer version of Overprint. Deploy that version before you restore the backup.",
    );
  return c.json(
    { restored: await c.env.LEDGER.getByName(name).restoreRecords(JSON.stringify(sent.data)) },
    200,
    NO_STORE,
  );
};
