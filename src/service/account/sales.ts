/** Lists sales for the operator of a deployment. */
import * as z from "zod";
import { daybookOf } from "../../payments/ledger/daybook.ts";
import { isSolana } from "../../payments/wire/networks.ts";
import type { Config } from "../../settings/config.ts";
import { once } from "../../shared/once.ts";

/** Maximum number of sales per page. */
const PAGE = 500;

const sale = once(() =>
  z.strictObject({
    request_id: z.string().describe("Id of the request that paid."),
    settled_at: z.iso.datetime(),
    network: z.string(),
    chain: z.string().describe("Id of the chain (CAIP-2)."),
    asset: z.string(),
    decimals: z.int(),
    payer: z.string(),
    pay_to: z.string(),
    amount: z.string().describe("Amount in the token's smallest unit."),
    transaction: z.string().describe("Transaction of the settlement; empty if unknown."),
    entry: z
      .enum(["sale", "claim", "transfer"])
      .describe(
        "A sale; or in a payment channel, a claim of sold amounts, or a transfer of claimed amounts to the seller.",
      ),
    channel: z.string().nullable().describe("Id of the payment channel; null for a sale with its own transaction."),
    proved: z.boolean().describe("False if only the facilitator confirmed the payment, without proof from the chain."),
  }),
);

/** Schema of the answer to `GET /v1/operator/sales`. */
export const salesPage = once(() =>
  z.strictObject({
    sales: z.array(sale()).describe("Sales, claims and transfers of the day, the oldest first."),
    next: z.string().nullable().describe("Value of `after` for the next page; null on the last page."),
    /** The current networks in the order of NETWORKS, each with the seller's address on it. */
    networks: z.array(
      z.strictObject({
        network: z.string(),
        chain: z.string(),
        asset: z.string(),
        decimals: z.int(),
        pay_to: z.string(),
      }),
    ),
  }),
);

/** A page of sales, see {@link salesPage}. */
export type SalesPage = z.output<ReturnType<typeof salesPage>>;

/**
 * Returns one page of the sales of a UTC day.
 * @param day the date, such as `2026-11-22`
 * @param after the value of `next` in the previous page, see {@link salesPage}
 */
export async function listSales(
  { LEDGER }: Env,
  { networks, payTo, payToSolana }: Config,
  day: string,
  after: string | undefined,
): Promise<SalesPage> {
  const booked = await LEDGER.getByName(daybookOf(day)).bookedSales(after, PAGE);
  return {
    sales: booked.map(({ requestId, settledAt, network, chain, asset, decimals, payer, ...rest }) => ({
      request_id: requestId,
      settled_at: new Date(settledAt).toISOString(),
      ...{ network, chain, asset, decimals, payer },
      pay_to: rest.payTo,
      amount: rest.amount,
      transaction: rest.transaction,
      entry: rest.channel?.entry ?? ("sale" as const),
      channel: rest.channel?.id ?? null,
      proved: rest.proved,
    })),
    next: (booked.length === PAGE && booked.at(-1)?.cursor) || null,
    networks: networks.map((one) => ({
      ...{ network: one.name, chain: one.caip2, asset: one.asset, decimals: one.decimals },
      pay_to: (isSolana(one) ? payToSolana : payTo) ?? "",
    })),
  };
}
