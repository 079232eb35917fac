import type { Sale } from "../lib/books.ts";
import { type Account, totalOf } from "./account.ts";
import type { Asked } from "./asked.ts";

/**
 * Returns whether sales and transfers match. Returns null if no difference was found, but a network was not reconciled.
 */
function isEven(accounts: readonly Account[]): boolean | null {
  if (accounts.some(({ differences }) => differences.soldNotMoved.length + differences.movedNotSold.length > 0))
    return false;
  return accounts.some(({ unchecked }) => unchecked) ? null : true;
}

/** Returns the report in the form that `--json` prints. */
export function reportOf({ url, since, until }: Asked, accounts: readonly Account[]) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ url, since: iso(since), until: iso(until), even: isEven(accounts) },
    networks: accounts.map(
      ({ network, chain, asset, book, sold, channels, moved, unchecked, differences, decimals }) => ({
        ...{
          network,
          chain,
          asset,
          sales: book.length,
          sold,
          moved: moved ?? null,
          ...(channels && { channels }),
          ...(unchecked && { unchecked }),
        },
        book: book.map(inMoney),
        sold_not_moved: differences.soldNotMoved.map(inMoney),
        moved_not_sold: differences.movedNotSold.map(({ at, transaction, from, to, amount }) => ({
          ...{ at: iso(at), transaction, from, to, amount: totalOf([{ amount }], { decimals }) },
        })),
      }),
    ),
  };
}

/** Returns a sale with its amount in decimal notation. */
function inMoney(sale: Sale): Sale {
  return { ...sale, amount: totalOf([sale], sale) };
}

/** Returns the report as text. */
export function wordsOf({ url, since, until, even, networks }: ReturnType<typeof reportOf>): string {
  const lines = [`${url}, ${since} to ${until}\n`];
  const width = Math.max(...networks.map(({ network }) => network.length));
  for (const { network, sales, sold, moved, unchecked } of networks)
    lines.push(
      `${network.padEnd(width)}  ${sales} ${sales === 1 ? "sale" : "sales"}  ${sold} USDC sold, ${moved === null ? `not reconciled: ${unchecked}` : `${moved} USDC transferred`}`,
    );
  for (const { network, channels } of networks)
    if (channels)
      lines.push(
        `${network.padEnd(width)}  of these, ${channels.sold} USDC in channels; ${channels.claimed} USDC claimed`,
      );
  for (const { network, sold_not_moved, moved_not_sold } of networks) {
    for (const { settled_at, amount, payer, request_id, transaction } of sold_not_moved)
      lines.push(
        `\nsale without a transfer: ${amount} USDC on ${network} at ${settled_at}\n  payer ${payer}, request ${request_id}, transaction ${transaction || "unknown"}`,
      );
    for (const { at, amount, from, transaction } of moved_not_sold)
      lines.push(
        `\ntransfer without a sale: ${amount} USDC on ${network} at ${at}\n  payer ${from}, transaction ${transaction}`,
      );
  }
  if (even === false) lines.push('\ndocs/operate.md, "Refunds", says what to do about each.');
  return lines.join("\n");
}
