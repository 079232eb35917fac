/** Runs a purchase from the command line: checks flags, reads files and prints the result. */
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import type { PrivateKeyAccount } from "viem/accounts";
import { checkMark } from "../src/engine/index.ts";
import { expectPdf, HEAD_LENGTH } from "../src/inputs/sniff.ts";
import { isIdempotencyKey, KEY_RULE } from "../src/payments/wire/keyRule.ts";
import { textMarkOf } from "../src/service/request/marks.ts";
import { noticeText, PAID_EARLIER } from "../src/service/sale/notices.ts";
import { originOf } from "./deployment.ts";
import { download } from "./download.ts";
import { misuse } from "./failure.ts";
import { type CheckedFields, checkFields } from "./fields.ts";
import { findFile, readImageFile, type SourceFile, STANDARD, stemOf } from "./input.ts";
import type { Io } from "./io.ts";
import { accountFor } from "./key.ts";
import { announce, moneyOf, priceOf } from "./offers.ts";
import { beginWriting, findTargets, type OutputChoice, type Target } from "./output.ts";
import { checkPayment, LOCAL, networkName, type PaymentChoice } from "./payment.ts";
import { askDeal, type Deal, fileToSend, type Order, type Purchase, purchase } from "./purchase.ts";
import { counted, printJson, say } from "./say.ts";

/** Flags of `overprint buy`. */
export interface BuyOptions extends OutputChoice, PaymentChoice {
  url?: string;
  idempotencyKey?: string;
  text?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Runs `overprint buy` without `--each`. */
export async function buy(name: string, options: BuyOptions, io: Io): Promise<void> {
  if (options.maxTotal !== undefined) throw misuse("--max-total needs --each: limit a single price with --max-price");
  const checked = checkFields(options as Record<string, unknown>);
  const { url, account } = checkBuyer(options, io);
  const source = await findSource(name);
  const [[target] = []] = await findTargets([source], [options], io);
  if (target!.path === STANDARD && options.json)
    throw misuse("--json and the PDF cannot both go to stdout: name a file with -o");
  const order = { ...(await orderFor(name, source, checked, io)), url, idempotencyKey: options.idempotencyKey };
  if (options.dryRun) return printPlan(await askDeal(order, account, options, io), [target!], options, io);
  await expectWritable(target!, io);

  const bought = await purchase(order, account, options, name !== STANDARD, io);
  await download(bought.output, url, target!, io);
  if (options.json) printJson(summaryOf(bought, target!), io);
  else printPurchase(bought, target!, target!.path === STANDARD ? io.stderr : io.stdout);
}

/**
 * Checks the flags that choose the deployment and the payer.
 * @throws Failure
 */
export function checkBuyer(options: BuyOptions, io: Io): { url: URL; account: PrivateKeyAccount } {
  checkPayment(options);
  const { idempotencyKey } = options;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) throw misuse(`--idempotency-key ${KEY_RULE}`);
  const url = originOf(options.url ?? LOCAL);
  return { url, account: accountFor(url, options.keyFile, io) };
}

/**
 * Checks that a target is writable, before anything is paid.
 * @throws Failure
 */
export async function expectWritable(target: Target, io: Io): Promise<void> {
  if (target.isFile) await (await beginWriting(target, io)).discard();
}

/** Prints the price and the targets of a purchase without making the purchase (`--dry-run`). */
export function printPlan(
  { offer, account, channel }: Deal,
  targets: readonly Target[],
  options: BuyOptions,
  io: Io,
): void {
  const files = options.each === undefined ? undefined : targets.length;
  announce(offer, account.address, options, { deposit: channel?.deposit, files }, io);
  const paths = targets.map(({ path }) => path);
  const total = moneyOf(offer.amount * BigInt(targets.length), offer.network);
  const plan = { price: priceOf(offer), total, network: offer.network.name, from: account.address, to: offer.payTo };
  if (options.json) printJson({ dry_run: true, files: paths, ...plan }, io);
  else for (const path of paths) say(`${path === STANDARD ? "standard output" : path} (not bought)`, io.stdout);
}

/** Sources that the deployment reads itself. */
const REMOTE = /^(https?:\/\/|upload:)/i;

/** Returns the source of a purchase. @throws Failure if the name matches several files */
export async function findSource(name: string): Promise<SourceFile> {
  if (!REMOTE.test(name)) return findFile(name, "buy");
  const { protocol, pathname } = new URL(name);
  // ignores the path of a handle, because a handle is secret and must not become a file name
  const stem = protocol === "upload:" ? "" : stemOf(pathname);
  return { path: undefined, stem: stem || "document", below: "", isPiped: false };
}

/**
 * Reads the files of an order, and checks everything that can be checked before paying.
 * @throws Failure, Problem or EngineError
 */
export async function orderFor(
  name: string,
  { path }: SourceFile,
  checked: CheckedFields,
  { stdin }: Io,
): Promise<Omit<Order, "url">> {
  const { given: fields } = checked;
  const file = REMOTE.test(name) ? name : path ? await fileToSend(path) : await standardInput(stdin);
  if (typeof file !== "string") expectPdf(new Uint8Array(await file.slice(0, HEAD_LENGTH).arrayBuffer()), undefined);
  if (checked.operation === "text") {
    checkMark(textMarkOf(checked.request));
    return { file, fields };
  }
  const bytes = await readImageFile(checked.imagePath);
  return { file, image: new File([bytes], basename(checked.imagePath)), fields };
}

async function standardInput(stdin: NodeJS.ReadableStream): Promise<File> {
  return new File([new Uint8Array(await buffer(stdin))], "standard-input.pdf", { type: "application/pdf" });
}

/** Returns a purchase in the format of `--json`. */
export function summaryOf(
  { output, operation, cost, notices, receipt, idempotencyKey }: Purchase,
  { path }: Target,
): object {
  return { file: path, output, operation, cost, notices, receipt, idempotency_key: idempotencyKey };
}

/** Prints the result of a purchase and its payment. */
export function printPurchase(bought: Purchase, { path }: Target, stream: NodeJS.WritableStream): void {
  const { output, notices, receipt, cost } = bought;
  say(
    `${path === STANDARD ? "standard output" : path}: ${counted(output.pages, "page")}, ${counted(output.bytes, "byte")}`,
    stream,
  );
  for (const notice of notices) say(noticeText(notice), stream);
  if (receipt) {
    const { network, payer, transaction } = receipt;
    say(
      `${notices.includes(PAID_EARLIER) ? "Paid earlier:" : "Paid"} ${cost} on ${networkName(network)} by ${payer}, ${proofOf(transaction)}`,
      stream,
    );
  }
  say(`Link, until ${output.expires_at}: ${output.url}`, stream);
}

function proofOf(transaction: string): string {
  if (transaction === "") return "with a voucher of the channel";
  return /[^0x]/.test(transaction) ? `transaction ${transaction}` : "development payment: no money moved";
}
