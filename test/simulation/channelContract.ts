import type { ChannelConfig, Hex, VoucherClaim } from "../../src/payments/wire/channelTypes.ts";
import type { ChannelHashes } from "./script.ts";
import { signerOf } from "./signatures.ts";
import type { World } from "./world.ts";

/** Chain id of the simulated chain. */
export const CHAIN_ID = 84_532;

/** A channel on the chain. Amounts are in atomic units of the token. */
interface OnChain {
  config: ChannelConfig;
  balance: bigint;
  totalClaimed: bigint;
  /** Time of the request for a withdrawal in Unix seconds, or 0 if no withdrawal is pending. */
  withdrawRequestedAt: number;
  refundNonce: bigint;
}

/** A deposit with its authorization, as in a payment. */
export interface Deposit {
  amount: string;
  authorization: { erc3009Authorization: { validBefore: string; signature: string } };
}

/** Claims submitted to the contract, with the signature of the receiver's authorizer. */
export interface SignedClaims {
  claims: VoucherClaim[];
  claimAuthorizerSignature?: string;
}

/** A refund submitted to the contract, with the signature of the receiver's authorizer. */
export interface SignedRefund extends SignedClaims {
  amount: string;
  refundNonce: string;
  refundAuthorizerSignature: string;
}

/**
 * The contract of payment channels. A method that executes a transaction returns undefined if the transaction reverts.
 */
export class ChannelContract {
  readonly channels = new Map<string, OnChain>();
  /** The last public voucher of each channel, as contained in a transaction. */
  readonly publicVouchers = new Map<string, { max: string; signature: Hex }>();
  /** Claimed amounts that have been transferred to the receiver, by receiver. */
  readonly transferred = new Map<string, bigint>();
  readonly #usedDeposits = new Set<string>();
  readonly hashes: ChannelHashes;
  readonly #world: World;

  constructor(world: World, hashes: ChannelHashes) {
    this.#world = world;
    this.hashes = hashes;
  }

  idOf(config: ChannelConfig): Hex {
    return this.hashes.channelIdOf(config, CHAIN_ID);
  }

  /** Returns the channel's state in the format of nodes and facilitators. */
  snapshot(channelId: string) {
    const { balance = 0n, totalClaimed = 0n, withdrawRequestedAt = 0, refundNonce = 0n } = this.#find(channelId) ?? {};
    return {
      channelId,
      balance: String(balance),
      totalClaimed: String(totalClaimed),
      withdrawRequestedAt,
      refundNonce: String(refundNonce),
    };
  }

  /** Returns whether a deposit's authorization can still be used. */
  isUsable({ authorization: { erc3009Authorization: authorized } }: Deposit): boolean {
    return !this.#usedDeposits.has(authorized.signature) && this.#seconds < Number(authorized.validBefore);
  }

  /** Adds a deposit to a channel. Returns the deposited amount. */
  deposit(config: ChannelConfig, deposit: Deposit): string | undefined {
    if (!this.isUsable(deposit)) return undefined;
    this.#usedDeposits.add(deposit.authorization.erc3009Authorization.signature);
    const channelId = this.idOf(config);
    const channel = this.#find(channelId) ?? {
      config,
      balance: 0n,
      totalClaimed: 0n,
      withdrawRequestedAt: 0,
      refundNonce: 0n,
    };
    channel.balance += BigInt(deposit.amount);
    this.channels.set(channelId, channel);
    return deposit.amount;
  }

  /** Claims charged amounts for the receiver. The claims of a request succeed or fail together. */
  claim({ claims, claimAuthorizerSignature }: SignedClaims): "" | undefined {
    const hash = this.hashes.claimHash(claims, CHAIN_ID);
    for (const { voucher, signature, totalClaimed } of claims) {
      const { channel: config, maxClaimableAmount: max } = voucher;
      const channelId = this.idOf(config);
      const channel = this.#find(channelId);
      const voucherHash = this.hashes.voucherHash(channelId, max, CHAIN_ID);
      const isSigned =
        signerOf(voucherHash, signature) === config.payerAuthorizer.toLowerCase() &&
        signerOf(hash, claimAuthorizerSignature!) === config.receiverAuthorizer.toLowerCase();
      const total = BigInt(totalClaimed);
      if (!channel || !isSigned || total > channel.balance || total > BigInt(max)) return undefined;
    }
    for (const { voucher, signature, totalClaimed } of claims) {
      const channelId = this.idOf(voucher.channel);
      const channel = this.#find(channelId)!;
      if (BigInt(totalClaimed) > channel.totalClaimed) channel.totalClaimed = BigInt(totalClaimed);
      this.publicVouchers.set(channelId, { max: voucher.maxClaimableAmount, signature });
    }
    return "";
  }

  /** Transfers all claimed amounts that a receiver has not received yet. */
  transfer(receiver: string): string | undefined {
    const before = this.transferred.get(receiver) ?? 0n;
    const claimed = this.claimedBy(receiver);
    if (claimed === before) return undefined;
    this.transferred.set(receiver, claimed);
    return String(claimed - before);
  }

  /** Returns the sum of a receiver's claims in all channels. */
  claimedBy(receiver: string): bigint {
    let sum = 0n;
    for (const { config, totalClaimed } of this.channels.values())
      if (config.receiver.toLowerCase() === receiver.toLowerCase()) sum += totalClaimed;
    return sum;
  }

  /** Claims charged amounts, and pays an amount back to the payer. */
  refund(config: ChannelConfig, { amount, refundNonce, refundAuthorizerSignature, ...signed }: SignedRefund) {
    const channelId = this.idOf(config);
    const channel = this.#find(channelId);
    const hash = this.hashes.refundHash(channelId, refundNonce, amount, CHAIN_ID);
    const signer = signerOf(hash, refundAuthorizerSignature);
    if (!channel || signer !== config.receiverAuthorizer.toLowerCase()) return undefined;
    if (channel.refundNonce !== BigInt(refundNonce)) return undefined;
    if (signed.claims.length > 0 && this.claim(signed) === undefined) return undefined;
    const free = channel.balance - channel.totalClaimed;
    const refunded = BigInt(amount) < free ? BigInt(amount) : free;
    channel.balance -= refunded;
    channel.refundNonce++;
    return String(refunded);
  }

  /** Makes the payer request a withdrawal of the unclaimed balance. */
  requestWithdrawal(channelId: string): void {
    const channel = this.#find(channelId);
    if (channel && channel.withdrawRequestedAt === 0) channel.withdrawRequestedAt = this.#seconds;
  }

  /**
   * Refunds the unclaimed balance to the payer once the withdrawal delay has passed. Returns whether the contract
   * allows the withdrawal.
   */
  withdraw(channelId: string): boolean {
    const channel = this.#find(channelId);
    if (!channel || channel.withdrawRequestedAt === 0) return false;
    if (this.#seconds < channel.withdrawRequestedAt + channel.config.withdrawDelay) return false;
    channel.balance = channel.totalClaimed;
    channel.withdrawRequestedAt = 0;
    return true;
  }

  get #seconds(): number {
    return Math.floor(this.#world.now / 1000);
  }

  #find(channelId: string): OnChain | undefined {
    return this.channels.get(channelId.toLowerCase());
  }
}
