/** Buys a series: one mark for each row of a CSV file, with one confirmation for the whole price. */
import { createHash, randomUUID } from "node:crypto";
import { openChannel } from "./channelPayer.ts";
import {
  type BuyOptions,
  checkBuyer,
  expectWritable,
  findSource,
  orderFor,
  printPlan,
  printPurchase,
  summaryOf,
} from "./checkout.ts";
import { download } from "./download.ts";
import { EXIT, Failure, failureOf, misuse } from "./failure.ts";
import { checkFields, type GivenFields } from "./fields.ts";
import { STANDARD } from "./input.ts";
import { isStopping, whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { announce, confirm } from "./offers.ts";
import { findTargets, type Target } from "./output.ts";
import { asFile, askDeal, type Deal, type Order, purchaseAt } from "./purchase.ts";
import { printJson, warn } from "./say.ts";
import { inRow, variantsOf } from "./series.ts";

/** The purchase of one row. */
interface Item {
  row: string | undefined;
  target: Target;
  order: Order & { idempotencyKey: string };
}

/**
 * Runs `overprint buy --each`. Stops at the first row that fails. A row's idempotency key depends on the series and on
 * the row's fields. The same command with the key of the series therefore continues the series.
 */
export async function buySeries(name: string, options: BuyOptions, io: Io): Promise<void> {
  if (name === STANDARD) throw misuse("--each needs a file: standard input can be read only once");
  const variants = await variantsOf(options);
  const { url, account } = checkBuyer(options, io);
  const source = await findSource(name);
  const targets = await findTargets(
    [source],
    variants.map(({ options }) => options),
    io,
  );
  const key = options.idempotencyKey ?? randomUUID();
  const items: Item[] = [];
  for (const [at, { row, options }] of variants.entries()) {
    const checked = await inRow(row, () => checkFields(options as Record<string, unknown>));
    const order = await inRow(row, () => orderFor(name, source, checked, io));
    items.push({ row, target: targets[at]![0]!, order: { ...order, url, idempotencyKey: keyOf(key, order.fields) } });
  }

  const deal = await askDeal(items[0]!.order, account, options, io, items.length);
  if (options.dryRun) return printPlan(deal, targets.flat(), options, io);
  for (const { target } of items) await expectWritable(target, io);
  announce(deal.offer, account.address, options, { deposit: deal.channel?.deposit, files: items.length }, io);
  await confirm(deal.offer, options, true, io);
  await buyAll(items, deal, key, options.json ?? false, io);
}

/** Derives the idempotency key of a row. */
function keyOf(key: string, fields: GivenFields): string {
  return createHash("sha256")
    .update(JSON.stringify([key, fields]))
    .digest("hex");
}

async function buyAll(items: readonly Item[], deal: Deal, key: string, json: boolean, io: Io): Promise<void> {
  const results: object[] = [];
  let handle: string | undefined;
  const again = (uploaded = handle) =>
    `run the same command with --idempotency-key ${key}${asFile(uploaded)} to get the other files without paying twice`;
  const here = () => `${results.length} of ${items.length} files are here`;
  try {
    for (const [at, item] of items.entries()) {
      const order = handle === undefined ? item.order : { ...item.order, file: handle };
      const paid = await purchaseAt(await dealFor(deal, at, items.length, io), order, again, io);
      // reuses the upload for the other rows
      if (typeof paid.file === "string" && typeof item.order.file !== "string") handle = paid.file;
      const forget = whenStopped(() => warn(`overprint: stopped. ${here()}: ${again()}`, io));
      await download(paid.output, item.order.url, item.target, io).finally(forget);
      results.push(summaryOf(paid, item.target));
      if (!json) printPurchase(paid, item.target, io.stdout);
    }
  } catch (error) {
    if (isStopping()) return;
    const failure = failureOf(error);
    const { code } = failure;
    const isUntouched = results.length === 0 && failure.exitCode !== EXIT.unfinished;
    const words = `${items[results.length]?.row}: ${failure.message}`;
    const advice = words.includes(again()) ? "" : `: ${again()}`;
    const message = isUntouched ? words : `${words}; ${here()}${advice}`;
    if (!json) throw new Failure(code, message, results.length > 0 ? EXIT.partial : failure.exitCode);
    warn(`overprint: ${message}`, io);
    io.exitCode = results.length > 0 ? EXIT.partial : failure.exitCode;
    results.push({ error: { code, message } });
  }
  if (json) printJson({ files: results, idempotency_key: key }, io);
}

/**
 * Returns the deal for a row. Opens the channel again for each row after the first, because each call changes the state
 * of the channel.
 * @throws Failure if the channel needs a deposit now. The payer confirms a deposit only before the first row
 */
async function dealFor(deal: Deal, at: number, rows: number, io: Io): Promise<Deal> {
  if (deal.channel === undefined || at === 0) return deal;
  const channel = await openChannel(deal.offer, deal.account, io, rows - at);
  if (channel.deposit > 0n)
    throw new Failure("deposit_needed", "another program has spent from the channel, which needs another deposit");
  return { ...deal, channel };
}
