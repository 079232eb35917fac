/** Checks the receipt of a payment: that it belongs to the call, and that the deployment signed it. */
import { decodePaymentResponseHeader } from "@x402/fetch";
import { recoverTypedDataAddress } from "viem/utils";
import {
  DELIVERY,
  type DeliveryPayload,
  deliveryTypes,
  domainOf,
  OFFER_RECEIPT,
  RECEIPT_TYPES,
  type ReceiptPayload,
  receiptMessage,
  type Signed,
} from "../../src/payments/wire/receiptTypes.ts";
import { jsonIn, send } from "./http.ts";

/** A receipt that passed all checks. */
export interface Receipt {
  /** CAIP-2 id of the network. */
  network: string;
  payer: string;
  /** Transaction on the chain. Empty for a payment through a channel. */
  transaction: string;
  /** Whether the deployment signed the receipt and the hashes of both files. Not every deployment signs receipts. */
  isSigned: boolean;
}

/** The outcome of the checks: a receipt, or the reason why the receipt in the answer proves nothing. */
export type CheckedReceipt =
  | { receipt: Receipt; outputSha256: string | undefined; receiptFault: undefined }
  | { receipt: undefined; outputSha256: undefined; receiptFault: string };

/** The hash of a source: of the whole file, or of the parts in which it was sent. */
export interface InputHash {
  inputSha256?: `0x${string}`;
  inputPartsSha256?: `0x${string}`;
}

/** Facts about the call that a receipt must name. */
export interface ExpectedReceipt {
  endpoint: URL;
  payer: string;
  /** CAIP-2 id of the network. Undefined if an earlier payment paid for the call. */
  network: string | undefined;
  /** Computes the hash of the source. Returns undefined if the deployment read the source from a URL or an upload. */
  input(): Promise<InputHash | undefined>;
}

/** Time limit in seconds of the answer with the deployment's key. */
const KEY_SECONDS = 30;

interface Settled {
  success?: unknown;
  network?: unknown;
  payer?: unknown;
  transaction?: unknown;
  extensions?: Record<string, { info?: unknown } | undefined>;
}

/** Checks the receipt in the answer to a sold call. A wrong receipt is no error, because the result is already paid for. */
export async function checkReceipt(answer: Response, expected: ExpectedReceipt): Promise<CheckedReceipt> {
  try {
    const settled = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "") as Settled;
    const { network, payer, transaction } = settled;
    if (settled.success !== true || typeof network !== "string" || typeof transaction !== "string")
      throw new Error("the receipt names no settled payment");
    if (!isSameAddress(payer, expected.payer)) throw new Error("the receipt names another payer");
    if (expected.network !== undefined && network !== expected.network)
      throw new Error("the receipt names another network");
    const files = await signedFiles(settled, expected);
    return {
      receipt: { network, payer: expected.payer, transaction, isSigned: files !== undefined },
      outputSha256: files?.outputSha256.slice(2),
      receiptFault: undefined,
    };
  } catch (error) {
    return { receipt: undefined, outputSha256: undefined, receiptFault: (error as Error).message };
  }
}

/**
 * Verifies the signed receipt and the signed hashes of the files. Returns undefined if the answer has no signed receipt.
 * @throws Error if a signature or a signed value is wrong
 */
async function signedFiles({ extensions, network, transaction }: Settled, expected: ExpectedReceipt) {
  const info = extensions?.[OFFER_RECEIPT]?.info as { receipt?: Signed<ReceiptPayload> } | undefined;
  const delivery = extensions?.[DELIVERY]?.info as Signed<DeliveryPayload> | undefined;
  if (!info?.receipt || !delivery) return undefined;
  const { payload, signature } = info.receipt;
  const message = receiptMessage(payload);
  const signer = await recoverTypedDataAddress({
    ...{ domain: domainOf("x402 receipt"), types: RECEIPT_TYPES, primaryType: "Receipt" },
    ...{ message, signature },
  });
  const deliverer = await recoverTypedDataAddress({
    ...{ domain: domainOf("Overprint delivery"), types: deliveryTypes(delivery.payload), primaryType: "Delivery" },
    ...{ message: { receipt: message, ...delivery.payload }, signature: delivery.signature },
  });
  const published = await publishedAddress(expected.endpoint);
  if (!isSameAddress(signer, published) || !isSameAddress(deliverer, published))
    throw new Error("the receipt is signed with a key that the deployment does not publish");
  if (payload.resourceUrl !== expected.endpoint.href) throw new Error("the signed receipt names another URL");
  if (!isSameAddress(payload.payer, expected.payer)) throw new Error("the signed receipt names another payer");
  if (payload.network !== network || (transaction !== "" && payload.transaction !== transaction))
    throw new Error("the signed receipt names another transaction");
  const input = await expected.input();
  const { inputSha256, inputPartsSha256 } = delivery.payload;
  if (input && (input.inputSha256 !== inputSha256 || input.inputPartsSha256 !== inputPartsSha256))
    throw new Error("the signed receipt names another source file");
  return delivery.payload;
}

/** Returns the address of the key that a deployment publishes (did:web). */
async function publishedAddress(endpoint: URL): Promise<string | undefined> {
  const answer = await send(new URL("/.well-known/did.json", endpoint), {}, KEY_SECONDS);
  const { verificationMethod } = Object((await jsonIn(answer)) ?? {}) as { verificationMethod?: unknown };
  const methods = Array.isArray(verificationMethod) ? (verificationMethod as { blockchainAccountId?: string }[]) : [];
  return methods
    .find(({ blockchainAccountId }) => blockchainAccountId)
    ?.blockchainAccountId?.split(":")
    .at(-1);
}

function isSameAddress(one: unknown, other: unknown): boolean {
  return typeof one === "string" && typeof other === "string" && one.toLowerCase() === other.toLowerCase();
}
