import { verifyTypedData } from "viem/utils";
import { isSolana } from "../wire/networks.ts";
import type { FacilitatorClient } from "./facilitator.ts";

/** The fields of the EIP-712 type `TransferWithAuthorization` (EIP-3009). */
export const TRANSFER_WITH_AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/**
 * The first of the well-known development keys. The key is public and worthless, and every local development chain has
 * it.
 */
export const DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** The zero hash, which stands for a settlement without a transaction. */
const NO_TRANSACTION = `0x${"0".repeat(64)}`;

/**
 * The facilitator for development. It verifies the EIP-712 signature of the authorization, but only for externally
 * owned accounts. It settles without a chain: only the ledger records the payment as settled.
 */
export const localFacilitator: FacilitatorClient = {
  name: "local",
  signersOn: () => [],

  async verify({ chain, authorization, signature }) {
    // Solana is never offered with this facilitator, because no account pays the fee
    if (isSolana(chain)) return { outcome: "unknown" };
    const { asset, chainId, domain } = chain;
    const signed = await verifyTypedData({
      address: authorization.from as `0x${string}`,
      domain: { ...domain, chainId, verifyingContract: asset },
      types: { TransferWithAuthorization: TRANSFER_WITH_AUTHORIZATION },
      primaryType: "TransferWithAuthorization",
      message: {
        from: authorization.from as `0x${string}`,
        to: authorization.to as `0x${string}`,
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce: authorization.nonce as `0x${string}`,
      },
      signature: signature as `0x${string}`,
    }).catch(() => false); // viem throws for a malformed signature
    return signed ? { outcome: "valid" } : { outcome: "invalid", reason: refusalOf(signature) };
  },

  async settle() {
    return { outcome: "settled", transaction: NO_TRANSACTION };
  },
};

/** Number of characters of an account's signature: 0x, then r, s and v (65 bytes) or their short form (ERC-2098). */
const ACCOUNT_SIGNATURE_LENGTHS = [132, 130];

/**
 * Returns the reason for refusing a signature that could not be verified. Only the signature of a smart wallet can have
 * an unusual length.
 */
function refusalOf(signature: string): string {
  const code = "invalid_exact_evm_payload_signature";
  return ACCOUNT_SIGNATURE_LENGTHS.includes(signature.length)
    ? `${code}: the signature is not the payer's. The local facilitator cannot check smart wallets (ERC-1271)`
    : `${code}: the local facilitator cannot check smart wallets (ERC-1271, ERC-6492). Sign with a private key, or set FACILITATOR_URL`;
}
