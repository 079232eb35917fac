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

/** The first of the well-known development keys. It is public, worthless, and the same in every local chain. */
export const DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** The zero hash stands for a settlement without a transaction. */
const NO_TRANSACTION = `0x${"0".repeat(64)}`;

/**
 * The facilitator for development. It verifies the EIP-712 signature of the authorization, but only for externally
 * owned accounts. It settles without a chain: only the ledger records the payment as settled.
 */
export const localFacilitator: FacilitatorClient = {
  name: "local",
  signersOn: () => [],

  async verify({ chain, authorization, signature }) {
    if (isSolana(chain)) return { outcome: "unknown" }; // Solana is never offered with this facilitator, because no account pays the fee
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
    return signed ? { outcome: "valid" } : { outcome: "invalid", reason: "invalid_exact_evm_payload_signature" };
  },

  async settle() {
    return { outcome: "settled", transaction: NO_TRANSACTION };
  },
};
