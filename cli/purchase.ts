/** A purchase: the price and its confirmation, and the paid call. */
import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";
import { OverprintError } from "../packages/client/errors.ts";
import { formWith } from "../packages/client/files.ts";
import { makePaidCall, type PaidCall, type Sold } from "../packages/client/paidCall.ts";
import { isLarge } from "../packages/client/upload.ts";
import { type ChannelPayer, openChannel } from "./channelPayer.ts";
import { unfinished } from "./deployment.ts";
import { Failure, failureOf, misuse } from "./failure.ts";
import type { GivenFields } from "./fields.ts";
import { whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { announce, askPrice, confirm, type Offer, sign } from "./offers.ts";
import type { PaymentChoice } from "./payment.ts";
import { showProgress } from "./progress.ts";
import { warn } from "./say.ts";

/** The item being bought: a file, and the fields of its mark. */
export interface Order {
  /** The deployment. */
  url: URL;
  /** The PDF to mark. A string is a source that the deployment reads itself: a URL or an upload handle. */
  file: File | string;
  image?: File | undefined;
  fields: GivenFields;
  /** Idempotency key. The deployment charges repeated calls with this key only once. */
  idempotencyKey?: string | undefined;
}

/** The result of a purchase. */
export interface Purchase extends Sold {
  notices: string[];
  /** The service's receipt of the payment; undefined if it is missing or malformed. */
  receipt: Receipt | undefined;
  idempotencyKey: string;
  /** The file as it was sent: its bytes, or the source or upload handle that the deployment has read. */
  file: File | string;
}

type Receipt = ReturnType<typeof decodePaymentResponseHeader>;

/** The terms of a purchase: the offer that the payer accepts, and the account or channel that pays. */
export interface Deal {
  offer: Offer;
  account: PrivateKeyAccount;
  /** The channel that pays. Undefined for a payment of one call. */
  channel: ChannelPayer | undefined;
}

/**
 * Asks for the price of an order.
 * @param calls number of calls that a channel will pay for
 * @throws Failure if nothing can be bought
 */
export async function askDeal(
  order: Pick<Order, "url" | "file" | "image">,
  account: PrivateKeyAccount,
  choice: PaymentChoice,
  io: Io,
  calls = 1,
): Promise<Deal> {
  if (choice.channel && isLarge(order.file))
    throw misuse("--channel cannot pay for a file of more than 10 MB, which is uploaded before the call");
  const offer = await askPrice(endpointOf(order), 2, choice);
  return { offer, account, channel: choice.channel ? await openChannel(offer, account, io, calls) : undefined };
}

/**
 * Buys a mark: asks for the price, asks the payer to confirm it, signs the payment, and repeats the call until an
 * answer arrives.
 * @param canAsk whether a person can confirm the payment
 * @throws Failure `unfinished` if money may have moved. After any other failure, nothing was charged.
 */
export async function purchase(
  order: Order,
  account: PrivateKeyAccount,
  choice: PaymentChoice,
  canAsk: boolean,
  io: Io,
): Promise<Purchase> {
  const deal = await askDeal(order, account, choice, io);
  announce(deal.offer, account.address, choice, { deposit: deal.channel?.deposit }, io);
  await confirm(deal.offer, choice, canAsk, io);
  const idempotencyKey = order.idempotencyKey ?? randomUUID();
  const again = (handle: string | undefined) =>
    `run the same command with --idempotency-key ${idempotencyKey}${asFile(handle)} to get the file without paying twice`;
  return purchaseAt(deal, { ...order, idempotencyKey }, again, io);
}

/**
 * Returns the part of the advice on how to repeat a command that names the upload to use as FILE. Returns an empty text
 * if no file was uploaded.
 */
export function asFile(handle: string | undefined): string {
  return handle === undefined ? "" : `, and with ${handle} as FILE,`;
}

/**
 * Signs the payment for an order, and repeats the call until an answer arrives.
 * @param again returns the advice on how to repeat the command. The argument is the handle if the file was uploaded.
 * @throws Failure `unfinished` if money may have moved. After any other failure, nothing was charged.
 */
export async function purchaseAt(
  { offer, account, channel }: Deal,
  order: Order & { idempotencyKey: string },
  again: (handle: string | undefined) => string,
  io: Io,
): Promise<Purchase> {
  const { idempotencyKey, file, image, fields } = order;
  const call: PaidCall = {
    ...{ endpoint: endpointOf(order), idempotencyKey, file },
    formOf: (sent) => formWith({ ...fields, file: sent, image }),
    sign: () => channel?.sign() ?? sign(offer, account),
  };
  const progress = showProgress("Uploading", isLarge(file) ? file.size : 0, io);
  let handle: string | undefined;
  let mayBePaid = false;
  let forget: () => unknown = () => undefined;
  try {
    const { sold, response } = await makePaidCall(call, {
      onSent: progress.add,
      onCall(uploadHandle) {
        progress.end();
        handle = uploadHandle;
        forget = whenStopped(() => warn(`overprint: stopped. You may have paid: ${again(handle)}`, io));
      },
      onRetry(error, seconds) {
        mayBePaid = error.mayBePaid;
        warn(`${failureOf(error).message}; retrying in ${seconds} s …`, io);
      },
    });
    const notices = response.headers.get("Overprint-Notice")?.split(", ") ?? [];
    return { ...sold, notices, receipt: receiptIn(response), idempotencyKey, file: handle ?? file };
  } catch (error) {
    const failure = failureOf(error);
    const { code, message } = failure;
    if (code === "payment_refused") throw new Failure(code, `the payment was rejected: ${message}`);
    mayBePaid ||= error instanceof OverprintError && error.mayBePaid;
    throw mayBePaid ? unfinished(code, `${message}; you may have paid: ${again(handle)}`) : failure;
  } finally {
    progress.end();
    forget();
  }
}

function endpointOf({ url, image }: Pick<Order, "url" | "image">): URL {
  return new URL(`/v1/watermark/${image ? "image" : "text"}`, url);
}

/** Returns the receipt in an answer. Ignores a malformed receipt, because the file is already paid for. */
function receiptIn(answer: Response): Receipt | undefined {
  try {
    return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
  } catch {
    return undefined;
  }
}

/** Returns a file on disk as a File for a form. Its bytes are read while the form is sent. */
export async function fileToSend(path: string, type = "application/pdf"): Promise<File> {
  return new File([await openAsBlob(path)], basename(path), { type });
}
