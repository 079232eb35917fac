/**
 * Reconciles the books with on-chain transfers. Every sale must have a transfer, and every transfer must have a sale.
 */
import type { Sale } from "./books.ts";
import type { Transfer } from "./transfers.ts";

/** A span of time in Unix milliseconds, from `since` (inclusive) to `until` (exclusive). */
export interface Span {
  since: number;
  until: number;
  /**
   * Time up to which every sale must have a transfer, and every transfer a sale. Later sales and transfers may belong
   * to an unfinished settlement.
   */
  judged: number;
}

/** A transfer without a sale, and its time. */
type Unsold = Transfer & { at: number };

/** The outcome of reconciling one network in one time span. */
export interface Reconciled {
  sales: Sale[];
  /** The transfers that match `sales`, and the transfers without a sale. */
  transfers: Transfer[];
  soldNotMoved: Sale[];
  movedNotSold: Unsold[];
}

/**
 * Matches each sale with its transfer by transaction, payer, seller and amount. If the transaction of a sale is
 * unknown, payer, seller and amount suffice.
 * @param sales sales of one network, from well before the time span to well after it. A sale is recorded after its
 * transfer, and much later if the facilitator's answer was lost
 * @param transfers transfers of the same period
 */
export async function reconcile(
  sales: readonly Sale[],
  transfers: readonly Transfer[],
  span: Span,
): Promise<Reconciled> {
  const left = Map.groupBy(transfers, keyOf);
  const take = (key: string) => left.get(key)?.shift();
  const sold = new Map<Sale, Transfer | undefined>();
  for (const sale of sales)
    if (sale.transaction !== "") sold.set(sale, take(keyOf({ ...sale, from: sale.payer, to: sale.pay_to })));
  const unnamed = Map.groupBy([...left.values()].flat(), partiesOf);
  for (const sale of sales)
    if (sale.transaction === "")
      sold.set(sale, unnamed.get(partiesOf({ ...sale, from: sale.payer, to: sale.pay_to }))?.shift());

  const isIn = (at: number) => at >= span.since && at < span.until;
  const isJudged = (at: number) => isIn(at) && at < span.judged;
  const bought = new Set(sold.values());
  const inSpan = sales.filter(({ settled_at }) => isIn(Date.parse(settled_at)));
  const movedNotSold: Unsold[] = [];
  for (const transfer of transfers) {
    if (bought.has(transfer)) continue;
    const at = await transfer.time();
    if (isJudged(at)) movedNotSold.push({ ...transfer, at });
  }
  return {
    sales: inSpan,
    transfers: [...inSpan.flatMap((sale) => sold.get(sale) ?? []), ...movedNotSold],
    soldNotMoved: inSpan.filter((sale) => !sold.get(sale) && isJudged(Date.parse(sale.settled_at))),
    movedNotSold,
  };
}

function keyOf(moved: Pick<Transfer, "transaction" | "from" | "to" | "amount">): string {
  return `${moved.transaction.toLowerCase()}:${partiesOf(moved)}`;
}

function partiesOf({ from, to, amount }: Pick<Transfer, "from" | "to" | "amount">): string {
  return `${from}:${to}:${amount}`.toLowerCase();
}
