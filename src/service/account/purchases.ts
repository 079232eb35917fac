import * as z from "zod";
import { channelCallIn } from "../../payments/channels/channelRecord.ts";
import { purchasesOf } from "../../payments/ledger/purchaseList.ts";
import { once } from "../../shared/once.ts";
import { operation } from "../request/schemas.ts";
import type { Delivery } from "../sale/products.ts";

/** Maximum number of purchases per answer. */
const MAX_PURCHASES = 100;

const purchase = once(() =>
  z.strictObject({
    url: z.string().describe("The link to the file. It works without a key."),
    expires_at: z.iso.datetime(),
    operation,
    bought_at: z.iso.datetime(),
    request_id: z.string().describe("Id of the request that paid."),
    network: z.string().describe("Id of the chain (CAIP-2)."),
    transaction: z.string().describe("Transaction of the settlement; empty if unknown."),
  }),
);

/** Schema of the answer to `GET /v1/purchases`. */
export const purchases = once(() =>
  z.strictObject({
    purchases: z.array(purchase()).describe("Purchases whose links still work, the newest first."),
    next: z.string().nullable().describe("Value of `before` for the next page; null on the last page."),
  }),
);

/**
 * Returns a payer's purchases whose links still work.
 * @param onlyOn lists only purchases on this chain (CAIP-2); undefined for all chains
 * @param before the value of `next` in the previous answer, see {@link purchases}
 */
export async function listPurchases(
  { LEDGER }: Env,
  payer: { address: string; onlyOn: string | undefined },
  before: string | undefined,
): Promise<z.output<ReturnType<typeof purchases>>> {
  const listed = await LEDGER.getByName(purchasesOf(payer.address)).newestPurchases(before, MAX_PURCHASES);
  const bought = await Promise.all(
    listed.map(({ payment }) => {
      const call = channelCallIn(payment);
      return call ? LEDGER.getByName(call.name).purchaseOnChannel(call.max) : LEDGER.getByName(payment).purchase();
    }),
  );
  return {
    purchases: bought.flatMap((one) => {
      if (!one || (payer.onlyOn !== undefined && payer.onlyOn !== one.network)) return [];
      const { result } = JSON.parse(one.value) as Delivery;
      const { network, transaction, requestId, settledAt } = one;
      return [
        {
          url: result.output.url,
          expires_at: result.output.expires_at,
          operation: result.operation,
          bought_at: new Date(settledAt).toISOString(),
          request_id: requestId,
          ...{ network, transaction },
        },
      ];
    }),
    next: (listed.length === MAX_PURCHASES && listed.at(-1)?.cursor) || null,
  };
}
