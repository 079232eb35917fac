import { formatUnits } from "viem";
import { readBooks, type Sale, type SoldOn } from "../lib/books.ts";
import { type Reconciled, reconcile, type Span } from "../lib/reconcile.ts";
import { transfersTo } from "../lib/transfers.ts";
import type { Asked } from "./asked.ts";

/** Maximum time between a sale and its transfer. */
const MARGIN_MS = 86_400_000;

/** Sales and transfers of one network. */
export interface Account extends SoldOn {
  /** Sales on this network in the time span of the report. */
  book: Sale[];
  sold: string;
  /**
   * Sums of the sales and of the claims in payment channels in the time span. Undefined if there are no such sales and
   * claims.
   */
  channels?: { sold: string; claimed: string };
  /** Sum of the transfers. Undefined if the network was not reconciled. The field `unchecked` then gives the reason. */
  moved?: string;
  unchecked?: string;
  differences: Pick<Reconciled, "soldNotMoved" | "movedNotSold">;
}

/**
 * Reads the books of a deployment and reconciles each network with its chain.
 * @throws Error with a message for the operator, if the books or a chain cannot be read
 */
export async function accountsOf({ url, token, rpcUrls, ...span }: Asked): Promise<Account[]> {
  const [from, to] = [span.since - MARGIN_MS, Math.min(span.until + MARGIN_MS, Date.now())];
  const { sales, networks } = await readBooks({ url, token }, from, to);
  const soldOn = new Map(networks.map((network, at) => [keyOf(network), { ...network, rpcUrl: rpcUrls[at] ?? "" }]));
  for (const { network, chain, asset, decimals, pay_to } of sales) {
    const key = keyOf({ chain, asset });
    if (!soldOn.has(key)) soldOn.set(key, { network, chain, asset, decimals, pay_to, rpcUrl: "" });
  }
  return Promise.all([...soldOn].map(([key, one]) => account(one, key, sales, span, [from, to])));
}

function keyOf({ chain, asset }: Pick<SoldOn, "chain" | "asset">): string {
  return `${chain}:${asset}`.toLowerCase();
}

async function account(
  { rpcUrl, ...network }: SoldOn & { rpcUrl: string },
  key: string,
  all: Sale[],
  span: Span,
  [from, to]: [number, number],
): Promise<Account> {
  const rows = all.filter((row) => keyOf(row) === key);
  const sales = rows.filter(({ entry }) => entry === "sale");
  const unchecked = network.chain.startsWith("eip155:")
    ? rpcUrl === "" && "RPC_URL has no node for it"
    : "only EVM chains are reconciled";
  const sellers = [...new Set([network.pay_to, ...sales.map(({ pay_to }) => pay_to)])];
  const transfers = unchecked ? [] : await transfersTo(sellers, network, rpcUrl, from, to);
  // Sales through payment channels have no separate transfers. One transfer pays for many of these sales.
  const paid = rows.filter(({ entry, channel }) => entry === "transfer" || (entry === "sale" && channel === null));
  const { sales: _, transfers: moved, ...differences } = await reconcile(paid, transfers, span);
  const isIn = ({ settled_at }: Sale) => Date.parse(settled_at) >= span.since && Date.parse(settled_at) < span.until;
  const sold = sales.filter(isIn);
  const onChannels = rows.filter((row) => row.channel !== null && isIn(row));
  return {
    ...network,
    book: sold,
    sold: totalOf(sold, network),
    ...(onChannels.length > 0 && { channels: channelTotals(onChannels, network) }),
    ...(unchecked
      ? { unchecked, differences: { soldNotMoved: [], movedNotSold: [] } }
      : { moved: totalOf(moved, network), differences }),
  };
}

function channelTotals(rows: readonly Sale[], network: SoldOn): { sold: string; claimed: string } {
  const total = (of: Sale["entry"]) =>
    totalOf(
      rows.filter(({ entry }) => entry === of),
      network,
    );
  return { sold: total("sale"), claimed: total("claim") };
}

/** Returns the sum of amounts (in atomic units) in decimal notation. */
export function totalOf(amounts: readonly { amount: string }[], { decimals }: Pick<SoldOn, "decimals">): string {
  return formatUnits(
    amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    decimals,
  );
}
