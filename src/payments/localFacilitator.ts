import { verifyTypedData } from "viem/utils";
import type { FacilitatorClient } from "./facilitator.ts";
import { NETWORKS } from "./networks.ts";

/** EIP-3009, `TransferWithAuthorization`. */
const TRANSFER_WITH_AUTHORIZATION = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;

/** Says plainly that no transaction exists. */
const NO_TRANSACTION = `0x${"0".repeat(64)}`;

/**
 * The development facilitator: verifies the EIP-712 signature of the authorization as the token contract would, and
 * settles without a chain. The ledger's record that the payment is settled is all that happens.
 */
export const localFacilitator: FacilitatorClient = {
  name: "local",

  async verify({ network, authorization, signature }) {
    const { asset, chainId, domain } = NETWORKS[network];
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
    }).catch(() => false); // a signature no key can have made
    return signed ? { outcome: "valid" } : { outcome: "invalid", reason: "invalid_exact_evm_payload_signature" };
  },

  async settle() {
    return { outcome: "settled", transaction: NO_TRANSACTION };
  },
};
