import type { ChannelRecord } from "../../src/payments/channels/channelRecord.ts";
import type { BookedSale } from "../../src/payments/ledger/daybook.ts";
import type { ChannelHeard, ChannelOrder } from "./channelPayers.ts";
import { ANSWERS } from "./invariants.ts";
import type { Schedule } from "./simulation.ts";

/**
 * Time in milliseconds for which the service repeats a result to a payer without an idempotency key, minus the possible
 * clock difference.
 */
const REPEAT_MS = 590_000;

/** Reasons of a 402 that a payer with a channel may receive. */
const REASONS =
  /^(invalid_batch_settlement_evm_(cumulative_amount_mismatch|withdrawal_pending|receiver_mismatch|channel_id_mismatch|refund_no_balance|missing_channel|cumulative_below_claimed|cumulative_exceeds_balance)|invalid_payment_requirements|insufficient_funds|transaction_simulation_failed|deposit_expired|authorization is used|cumulative_below_claimed|cumulative_exceeds_balance|channel_not_found)/;

/** Returns the payment-channel rules that a schedule has violated, each with the item that violates it. */
export function brokenChannelRules({ channelPayers, chain, ledger, world }: Schedule): string[] {
  const { orders, clients, strangers, withdrawing } = channelPayers;
  const broken: string[] = [];
  const rule = <T>(name: string, items: Iterable<T>, isBroken: (item: T) => boolean, show: (item: T) => string) => {
    for (const item of items) if (isBroken(item)) broken.push(`${name}: ${show(item)}`);
  };
  const rows = [...ledger.objects.values()]
    .filter(({ name }) => name.startsWith("sales:"))
    .flatMap(({ kv }) => [...kv].filter(([key]) => key !== "version"))
    .map(([, sale]) => sale as BookedSale);
  const channels = [...ledger.objects.values()].flatMap(({ name, kv }) => {
    const record = kv.get("channel") as ChannelRecord | undefined;
    return record ? [{ name, kv, record, ...sums(rows, record.channelId) }] : [];
  });
  const onChain = ({ record }: (typeof channels)[number]) => chain.channels.snapshot(record.channelId);
  const shown = (channel: (typeof channels)[number]) => {
    const { record, sold, claimed } = channel;
    const { charged, signedMax, channelId } = record;
    const { balance, totalClaimed } = onChain(channel);
    const calls = orders.filter(({ answers }) => answers.some((one) => one.channelId === channelId)).map(showOrder);
    return `${charged} charged, ${signedMax} signed, ${balance} held, ${totalClaimed} claimed, booked ${sold} and ${claimed}; ${calls.join("; ")}`;
  };

  rule(
    "the charged sum is the price of all sold calls",
    channels,
    ({ record, sold }) => BigInt(record.charged) !== sold,
    shown,
  );
  rule(
    "no more is charged than the payer has signed",
    channels,
    ({ record }) => {
      const { channelId, charged, signedMax } = record;
      const isSigned = clients.some(({ holder }) => (holder.signedMax.get(channelId) ?? 0n) >= BigInt(signedMax));
      return BigInt(charged) > BigInt(signedMax) || !isSigned;
    },
    shown,
  );
  rule(
    "in the end, everything that is charged is claimed, and nothing else",
    channels,
    (channel) => onChain(channel).totalClaimed !== channel.record.charged,
    shown,
  );
  rule("claims are booked", channels, (channel) => String(channel.claimed) !== onChain(channel).totalClaimed, shown);
  rule(
    "in the end, the seller has received every claim",
    new Set([...chain.channels.channels.values()].map(({ config }) => config.receiver.toLowerCase())),
    (receiver) => (chain.channels.transferred.get(receiver) ?? 0n) !== chain.channels.claimedBy(receiver),
    (receiver) => receiver,
  );
  rule(
    "a channel's object stores only its record and the version in the end",
    channels,
    ({ kv, record }) => kv.size > 2 || record.pending?.settling !== undefined || record.listed !== undefined,
    ({ kv, record }) => `${[...kv.keys()]}, pending ${record.pending?.id}, listed ${record.listed}`,
  );
  rule(
    "a request is charged once in a channel",
    channels,
    ({ record, soldCalls }) => soldCalls > mostSales(orders, record.channelId),
    shown,
  );
  rule(
    "every result was charged",
    channels,
    ({ record, soldCalls }) => linksIn(orders, record.channelId).size > soldCalls,
    shown,
  );
  rule(
    "every answer of a channel can be used by its client",
    clients.flatMap(({ refused }) => refused),
    () => true,
    String,
  );
  rule("strangers get nothing for a public voucher", strangers, (status) => status === 200, String);
  const answers = orders.flatMap((order) => order.answers);
  rule(
    "every answer in a channel has an allowed status and code",
    answers,
    ({ status, code }) =>
      status !== 0 && (status === 402 ? !REASONS.test(code) : !ANSWERS.has(`${status} ${code}`.trim())),
    showAnswer,
  );
  const isShared = ({ client }: ChannelOrder) => clients.filter(({ holder }) => holder === client.holder).length > 1;
  // Parallel calls in one channel may each need more corrections than a client tries.
  const mustSucceed = ({ isFinal, isUndisturbed, code }: ChannelHeard) =>
    isFinal || (isUndisturbed && !/mismatch|exceeds_balance|not as offered/.test(code));
  rule(
    "without faults, a call in a channel gets its result",
    orders.flatMap((order) => order.answers.filter(mustSucceed).map((heard) => ({ order, heard }))),
    ({ order, heard }) => !isServed(order, heard, withdrawing, isShared(order)),
    ({ order }) => showOrder(order),
  );
  const text = world.log.join("\n");
  rule(
    "no voucher is logged",
    [...chain.channels.publicVouchers.values()],
    ({ signature }) => text.includes(signature.slice(2, 66)),
    ({ signature }) => signature,
  );
  return broken;
}

/** Returns the sums and the number of sales of a channel in the daybooks. */
function sums(rows: readonly BookedSale[], channelId: string) {
  const own = rows.filter(({ channel }) => channel?.id === channelId);
  const entries = (entry: string) => own.filter(({ channel }) => channel!.entry === entry);
  const sum = (some: BookedSale[]) => some.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const sales = entries("sale");
  return { sold: sum(sales), claimed: sum(entries("claim")), soldCalls: sales.length };
}

/** Returns the paths of the links that calls in a channel have received. */
function linksIn(orders: readonly ChannelOrder[], channelId: string): Set<string> {
  const answers = orders.flatMap((order) => order.answers);
  return new Set(answers.flatMap(({ link, ...heard }) => (link && heard.channelId === channelId ? [link.path] : [])));
}

/**
 * Returns the maximum number of sales to the orders of a channel. Each content can be sold once every ten minutes, and
 * again after each revocation of its link.
 */
function mostSales(orders: readonly ChannelOrder[], channelId: string): number {
  const own = orders.filter(({ answers }) => answers.some((one) => one.channelId === channelId));
  let most = 0;
  for (const group of Map.groupBy(own, ({ text, key }) => `${text} ${key}`).values()) {
    const times = group.flatMap(({ answers }) => answers.map(({ at }) => at)).toSorted((a, b) => a - b);
    const links = group.flatMap(({ answers }) => answers.map(({ link }) => link));
    const revoked = new Set(links.filter((link) => link?.ending !== undefined));
    most += 1 + revoked.size;
    let begun = group[0]!.firstAt;
    for (const at of times)
      if (at - begun > REPEAT_MS) {
        most++;
        begun = at;
      }
  }
  return most;
}

/** Returns whether the answer to a call in a channel is correct. */
function isServed(
  { isDamaged, answers }: ChannelOrder,
  heard: ChannelHeard,
  withdrawing: ReadonlySet<string>,
  isShared: boolean,
): boolean {
  const { status, code, channelId, isFinal } = heard;
  if (status === 402 && code.includes("withdrawal_pending")) return withdrawing.has(channelId);
  // If two clients do not know of a refund or withdrawal, the service may refuse the second client.
  if (status === 402 && code.includes("exceeds_balance") && isShared) return true;
  if (status === 429 && isFinal) return true; // the payer has used up the allowance for failed calls
  if (isDamaged) return code === "damaged_pdf";
  return status === 200 || answers.some(({ link }) => link?.ending !== undefined);
}

function showOrder({ text, key, answers }: ChannelOrder): string {
  return `${text}${key ? " with a key" : ""}: ${answers.map(showAnswer).join(", ")}`;
}

function showAnswer({ isFinal, status, code, link }: ChannelHeard): string {
  return `${isFinal ? "final " : ""}${status || "lost"} ${code.slice(0, 80)}${link ? ` ${link.path.slice(-6)}` : ""}`;
}
