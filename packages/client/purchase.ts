/** A purchase: its order, and its result with a checked receipt. */
import { isIdempotencyKey, KEY_RULE } from "../../src/payments/wire/keyRule.ts";
import { PAID_EARLIER } from "../../src/service/sale/notices.ts";
import { OverprintError } from "./errors.ts";
import { type FileSource, formValue, formWith, sha256Of, sha256OfParts } from "./files.ts";
import { downloadsOf, type MarkedPdf, noticesIn } from "./marked.ts";
import { type Answer, makePaidCall } from "./paidCall.ts";
import type { Wallet } from "./payment.ts";
import { checkReceipt, type InputHash } from "./receipt.ts";
import { isLarge } from "./upload.ts";

/** The item being bought. */
export interface Order {
  operation: "text" | "image";
  file: FileSource;
  /** The image, for the operation `image`. */
  image?: FileSource | undefined;
  fields: Readonly<Record<string, string | number | boolean | undefined>>;
  idempotencyKey: string;
}

/**
 * Buys a mark.
 * @throws OverprintError. `mayBePaid` is true if the payment may settle although the call failed.
 */
export async function buy(origin: URL, wallet: Wallet, order: Order): Promise<MarkedPdf> {
  if (!isIdempotencyKey(order.idempotencyKey))
    throw new OverprintError("invalid_argument", `\`idempotencyKey\` ${KEY_RULE}. Send a UUID, for example.`);
  const endpoint = new URL(`/v1/watermark/${order.operation}`, origin);
  const file = formValue(order.file, "file");
  const image = order.operation === "image" ? formValue(order.image, "image") : undefined;
  if (isLarge(file) && wallet.isChannel)
    throw new OverprintError("invalid_argument", "A channel cannot pay for a file of more than 10 MB. Send its URL.");

  const { idempotencyKey, fields } = order;
  const formOf = (sent: File | string) => formWith({ ...fields, file: sent, image });
  const sign = () => wallet.pay(endpoint);
  let uploadHandle: string | undefined;
  const onCall = (handle: string | undefined) => {
    uploadHandle = handle;
  };
  try {
    const answer = await makePaidCall({ endpoint, idempotencyKey, file, formOf, sign }, { onCall });
    return await markedIn(answer, { origin, endpoint, file, wallet, order });
  } catch (error) {
    if (error instanceof OverprintError) Object.assign(error, { idempotencyKey, uploadHandle });
    throw error;
  }
}

/** Returns the result of a sold call, with its checked receipt. */
async function markedIn(
  { response, payment, sold, partBytes }: Answer,
  call: { origin: URL; endpoint: URL; file: File | string; wallet: Wallet; order: Order },
): Promise<MarkedPdf> {
  const { origin, endpoint, file, wallet, order } = call;
  const { url, expires_at, pages, bytes: length } = sold.output;
  const notices = noticesIn(response.headers.get("Overprint-Notice"));
  const isPaidEarlier = notices.some(({ code }) => code === PAID_EARLIER);
  const { receipt, receiptFault, outputSha256 } = await checkReceipt(response, {
    endpoint,
    payer: wallet.address,
    network: isPaidEarlier ? undefined : payment.network,
    input: async () => (typeof file === "string" ? undefined : hashOf(file, partBytes)),
  });
  const { operation, cost } = sold;
  return {
    ...{ url, expiresAt: new Date(expires_at), pages, length, operation, cost, notices, receipt, receiptFault },
    idempotencyKey: order.idempotencyKey,
    ...downloadsOf({ url, length, sha256: outputSha256, origin }),
  };
}

async function hashOf(file: File, partBytes: number | undefined): Promise<InputHash> {
  return partBytes === undefined
    ? { inputSha256: `0x${await sha256Of(file)}` }
    : { inputPartsSha256: `0x${await sha256OfParts(file, partBytes)}` };
}
