/**
 * The EIP-712 types of receipts, which the service signs and callers verify: x402's extension "offer-receipt", and the
 * service's own signature that names the delivered file. The clause numbers refer to
 * specs/extensions/extension-offer-and-receipt.md in x402-foundation/x402.
 */
type Hex = `0x${string}`;

/** A signed offer or receipt ("offer-receipt", 3.1). */
export interface Signed<Payload> {
  format: "eip712";
  payload: Payload;
  signature: Hex;
}

/** The payload of a signed receipt for a payment ("offer-receipt", 5.2). */
export interface ReceiptPayload {
  version: 1;
  network: string;
  resourceUrl: string;
  payer: string;
  issuedAt: number;
  transaction: string;
}

/**
 * The delivered file of a payment. Contains the SHA-256 hashes of the source and of the result. A source that was
 * uploaded in parts has the SHA-256 over the digests of its parts instead.
 */
export interface DeliveryPayload {
  inputSha256?: Hex;
  inputPartsSha256?: Hex;
  outputSha256: Hex;
}

/** Names of the extensions in the answer to a settlement. */
export const OFFER_RECEIPT = "offer-receipt";
export const DELIVERY = "overprint-delivery";

/**
 * Returns an EIP-712 domain ("offer-receipt", 3.2). The chain id is 1 for every payment, even on Solana, although
 * clause 3.1.1 still mentions only EVM chains.
 */
export const domainOf = (name: string) => ({ name, version: "1", chainId: 1 });

/** 5.3 */
export const RECEIPT_TYPES = {
  Receipt: [
    { name: "version", type: "uint256" },
    { name: "network", type: "string" },
    { name: "resourceUrl", type: "string" },
    { name: "payer", type: "string" },
    { name: "issuedAt", type: "uint256" },
    { name: "transaction", type: "string" },
  ],
} as const;

/**
 * The EIP-712 type of a delivery, which the x402 extension does not define. The type contains the whole receipt, so
 * that a delivery cannot be attached to another receipt.
 */
export const deliveryTypes = ({ inputPartsSha256 }: DeliveryPayload) => ({
  ...RECEIPT_TYPES,
  Delivery: [
    { name: "receipt", type: "Receipt" },
    { name: inputPartsSha256 === undefined ? "inputSha256" : "inputPartsSha256", type: "bytes32" },
    { name: "outputSha256", type: "bytes32" },
  ],
});

/** Converts a receipt to the message that is signed. */
export function receiptMessage(receipt: ReceiptPayload) {
  return { ...receipt, version: BigInt(receipt.version), issuedAt: BigInt(receipt.issuedAt) };
}
