/**
 * `npm run revenue -- --since 7d` counts what a deployment has sold, and holds it against the chain. It needs
 * OPERATOR_TOKEN, and RPC_URL for the chain, from the environment or from .dev.vars. Exit code 1: sold is not what moved.
 */
import { readFile } from "node:fs/promises";
import { parseArgs, parseEnv } from "node:util";
import { formatUnits } from "viem";
import { endpoint } from "../src/settingValues.ts";
import { readBooks, type Sale, type SoldOn } from "./lib/books.ts";
import { type Reconciled, reconcile, type Span } from "./lib/reconcile.ts";
import { transfersTo } from "./lib/transfers.ts";

const USAGE = `usage: npm run revenue -- [--url https://…] [--since 7d] [--until 2026-11-22] [--grace 10m] [--json]
times are so long ago, as 30m, 12h or 7d, or a date; of the last ten minutes (--grace) no difference is told yet`;

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Sales and transfers that belong together may be this far apart. */
const MARGIN_MS = UNITS.d;

/** What is known of one network. */
interface Account extends SoldOn {
  /** What was sold on it in the span. */
  book: Sale[];
  sold: string;
  /** Undefined where it was not held against the chain, for the reason in `unchecked`. */
  moved?: string;
  unchecked?: string;
  differences: Pick<Reconciled, "soldNotMoved" | "movedNotSold">;
}

const asked = await options().catch((error: Error) => {
  console.error(`${error.message}\n${USAGE}`);
  process.exit(2);
});
const accounts = await accountsOf(asked).catch((error: Error) => {
  console.error(error.message);
  process.exit(2);
});
const isEven = accounts.every(
  ({ differences }) => differences.soldNotMoved.length + differences.movedNotSold.length === 0,
);
if (asked.json) console.log(JSON.stringify(reportOf(asked, accounts, isEven), null, 2));
else print(asked, accounts, isEven);
process.exitCode = isEven ? 0 : 1;

interface Asked extends Span {
  url: string;
  token: string;
  rpcUrls: string[];
  json: boolean;
}

async function options(): Promise<Asked> {
  const file = await readFile(".dev.vars", "utf8").catch(() => "");
  const env = { ...parseEnv(file), ...process.env };
  const { values } = parseArgs({
    options: {
      url: { type: "string", default: env.OVERPRINT_URL ?? "http://127.0.0.1:8787" },
      since: { type: "string", default: "7d" },
      until: { type: "string", default: "0s" },
      grace: { type: "string", default: "10m" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const { success, error } = endpoint.safeParse(values.url); // it is sent the token
  if (!success) throw new Error(`--url ${error.issues[0]!.message}`);
  if (!env.OPERATOR_TOKEN) throw new Error("OPERATOR_TOKEN is not set: it is the one that the deployment has");
  const [since, until] = [timeOf("--since", values.since), timeOf("--until", values.until)];
  if (since >= until) throw new Error("--since must be before --until");
  const rpcUrls = (env.RPC_URL ?? "").split(",").map((url) => url.trim());
  const judged = timeOf("--grace", values.grace);
  return { url: values.url, token: env.OPERATOR_TOKEN, rpcUrls, since, until, judged, json: values.json };
}

/** @throws Error if it is no time */
function timeOf(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const time = unit ? Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS] : Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`${option}: '${text}' is no time`);
  return time;
}

async function accountsOf({ url, token, rpcUrls, ...span }: Asked): Promise<Account[]> {
  const [from, to] = [span.since - MARGIN_MS, Math.min(span.until + MARGIN_MS, Date.now())];
  const { sales, networks } = await readBooks(url, token, from, to);
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
  const sales = all.filter((sale) => keyOf(sale) === key);
  const unchecked = network.chain.startsWith("eip155:")
    ? rpcUrl === "" && "RPC_URL has no node of it"
    : "only EVM chains are held against the books";
  const sellers = [...new Set([network.pay_to, ...sales.map(({ pay_to }) => pay_to)])];
  const transfers = unchecked ? [] : await transfersTo(sellers, network, rpcUrl, from, to);
  const { sales: sold, transfers: moved, ...differences } = await reconcile(sales, transfers, span);
  return {
    ...network,
    book: sold,
    sold: total(sold, network),
    ...(unchecked
      ? { unchecked, differences: { soldNotMoved: [], movedNotSold: [] } }
      : { moved: total(moved, network), differences }),
  };
}

function total(amounts: readonly { amount: string }[], { decimals }: Pick<SoldOn, "decimals">): string {
  return formatUnits(
    amounts.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    decimals,
  );
}

/** A sale, with its amount as people write it. */
function inMoney(sale: Sale): Sale {
  return { ...sale, amount: total([sale], sale) };
}

function reportOf({ url, since, until }: Asked, found: Account[], isEven: boolean) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ url, since: iso(since), until: iso(until), even: isEven },
    networks: found.map(({ network, chain, asset, book, sold, moved, unchecked, differences, decimals }) => ({
      ...{ network, chain, asset, sales: book.length, sold, moved: moved ?? null, ...(unchecked && { unchecked }) },
      book: book.map(inMoney),
      sold_not_moved: differences.soldNotMoved.map(inMoney),
      moved_not_sold: differences.movedNotSold.map(({ at, transaction, from, to, amount }) => ({
        ...{ at: iso(at), transaction, from, to, amount: total([{ amount }], { decimals }) },
      })),
    })),
  };
}

function print(shown: Asked, found: Account[], isEven: boolean): void {
  const { since, until, networks } = reportOf(shown, found, isEven);
  console.log(`${shown.url}, ${since} to ${until}\n`);
  const width = Math.max(...networks.map(({ network }) => network.length));
  for (const { network, sales, sold, moved, unchecked } of networks)
    console.log(
      `${network.padEnd(width)}  ${sales} ${sales === 1 ? "sale" : "sales"}  ${sold} USDC sold, ${moved === null ? `not held against the chain: ${unchecked}` : `${moved} USDC moved`}`,
    );
  for (const { network, sold_not_moved, moved_not_sold } of networks) {
    for (const { settled_at, amount, payer, request_id, transaction } of sold_not_moved)
      console.log(
        `\nsold and not on the chain: ${amount} USDC on ${network} at ${settled_at}\n  payer ${payer}, request ${request_id}, transaction ${transaction || "not known"}`,
      );
    for (const { at, amount, from, transaction } of moved_not_sold)
      console.log(
        `\nmoved and not sold: ${amount} USDC on ${network} at ${at}\n  payer ${from}, transaction ${transaction}`,
      );
  }
  if (!isEven) console.log('\nWhat to do about each: docs/operate.md, "Refunds".');
}
