/**
 * The signed structures of the x402 scheme "batch-settlement" on EVM chains (specs/schemes/batch-settlement/
 * scheme_batch_settlement_evm.md in x402-foundation/x402). They are defined here with viem, because the official
 * package exports its functions only together with its whole client and server.
 */
import { hashTypedData, recoverAddress } from "viem/utils";

/** Bytes in hexadecimal, with 0x. */
export type Hex = `0x${string}`;

/** Name of the x402 scheme for payment channels. */
export const CHANNEL_SCHEME = "batch-settlement";
/** The contract that holds the money of payment channels. The contract has the same address on every chain. */
export const CHANNEL_CONTRACT = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";

/** The immutable terms of a channel. Their hash is the channel's id. */
export interface ChannelConfig {
  payer: Hex;
  /**
   * The account that signs vouchers. The zero address means that the payer is a contract, which checks vouchers itself
   * (ERC-1271).
   */
  payerAuthorizer: Hex;
  receiver: Hex;
  /** The account that signs claims and refunds for the receiver. */
  receiverAuthorizer: Hex;
  token: Hex;
  /** Time between a payer's request to withdraw and the withdrawal, in seconds. */
  withdrawDelay: number;
  /** A value that distinguishes channels with otherwise equal terms. */
  salt: Hex;
}

/** A signed promise to pay up to `max` in total since the channel was opened. Amounts are in atomic units. */
export interface Voucher {
  max: string;
  signature: Hex;
}

/** A voucher, and the cumulative amount that is claimed with it. */
export interface VoucherClaim {
  voucher: { channel: ChannelConfig; maxClaimableAmount: string };
  signature: Hex;
  totalClaimed: string;
}

/** The state of a payment channel on the chain. Amounts are in atomic units. Times are Unix seconds. */
export interface ChannelSnapshot {
  /** Sum of all deposits minus all refunds and withdrawals. Claims do not change this amount. */
  balance: string;
  /** Sum of all amounts that the receiver has claimed. */
  totalClaimed: string;
  /** Time of the payer's request to withdraw. It is 0 if no request is pending. */
  withdrawRequestedAt: number;
  /** Number of refunds so far. */
  refundNonce: string;
}

/** The zero address. As `payerAuthorizer`, it means that the payer is a contract. */
export const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

const CONFIG_TYPES = {
  ChannelConfig: [
    { name: "payer", type: "address" },
    { name: "payerAuthorizer", type: "address" },
    { name: "receiver", type: "address" },
    { name: "receiverAuthorizer", type: "address" },
    { name: "token", type: "address" },
    { name: "withdrawDelay", type: "uint40" },
    { name: "salt", type: "bytes32" },
  ],
} as const;

const VOUCHER_TYPES = {
  Voucher: [
    { name: "channelId", type: "bytes32" },
    { name: "maxClaimableAmount", type: "uint128" },
  ],
} as const;

const REFUND_TYPES = {
  Refund: [
    { name: "channelId", type: "bytes32" },
    { name: "nonce", type: "uint256" },
    { name: "amount", type: "uint128" },
  ],
} as const;

const CLAIM_TYPES = {
  ClaimBatch: [{ name: "claims", type: "ClaimEntry[]" }],
  ClaimEntry: [
    { name: "channelId", type: "bytes32" },
    { name: "maxClaimableAmount", type: "uint128" },
    { name: "totalClaimed", type: "uint128" },
  ],
} as const;

const domainOn = (chainId: number) =>
  ({ name: "x402 Batch Settlement", version: "1", chainId, verifyingContract: CHANNEL_CONTRACT }) as const;

/** Returns the id of a payment channel on a chain, which is the EIP-712 hash of the channel's terms. */
export function channelIdOf(config: ChannelConfig, chainId: number): Hex {
  return hashTypedData({
    domain: domainOn(chainId),
    types: CONFIG_TYPES,
    primaryType: "ChannelConfig",
    message: lowerCase(config),
  });
}

/** Returns the hash that the payer signs to promise up to `max` in total. */
export function voucherHash(channelId: Hex, max: string, chainId: number): Hex {
  return hashTypedData({
    domain: domainOn(chainId),
    types: VOUCHER_TYPES,
    primaryType: "Voucher",
    message: { channelId, maxClaimableAmount: BigInt(max) },
  });
}

/**
 * Returns whether an account has signed a voucher. Returns false for contracts, because they do not sign with a key.
 */
export async function hasSignedVoucher(
  signer: Hex,
  channelId: Hex,
  { max, signature }: Voucher,
  chainId: number,
): Promise<boolean> {
  const hash = voucherHash(channelId, max, chainId);
  const recovered = await recoverAddress({ hash, signature }).catch(() => ""); // viem throws for a malformed signature
  return recovered.toLowerCase() === signer.toLowerCase();
}

/** Returns the hash that the receiver's authorizer signs to refund `amount`. The chain accepts each nonce once. */
export function refundHash(channelId: Hex, nonce: string, amount: string, chainId: number): Hex {
  return hashTypedData({
    domain: domainOn(chainId),
    types: REFUND_TYPES,
    primaryType: "Refund",
    message: { channelId, nonce: BigInt(nonce), amount: BigInt(amount) },
  });
}

/** Returns the hash that the receiver's authorizer signs to claim the amounts of vouchers. */
export function claimHash(claims: readonly VoucherClaim[], chainId: number): Hex {
  return hashTypedData({
    domain: domainOn(chainId),
    types: CLAIM_TYPES,
    primaryType: "ClaimBatch",
    message: {
      claims: claims.map(({ voucher, totalClaimed }) => ({
        channelId: channelIdOf(voucher.channel, chainId),
        maxClaimableAmount: BigInt(voucher.maxClaimableAmount),
        totalClaimed: BigInt(totalClaimed),
      })),
    },
  });
}

/**
 * Converts the hexadecimal values to lower case. viem rejects an address in mixed case if its checksum is wrong, but
 * the service accepts any case.
 */
function lowerCase(config: ChannelConfig): ChannelConfig {
  const lower = (value: Hex) => value.toLowerCase() as Hex;
  return {
    payer: lower(config.payer),
    payerAuthorizer: lower(config.payerAuthorizer),
    receiver: lower(config.receiver),
    receiverAuthorizer: lower(config.receiverAuthorizer),
    token: lower(config.token),
    withdrawDelay: config.withdrawDelay,
    salt: lower(config.salt),
  };
}
