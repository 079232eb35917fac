import type { Hex } from "./channelTypes.ts";
import type { EvmNetwork } from "./networks.ts";
import { atomicUnits, type Price } from "./price.ts";

/** The terms of payment channels that a deployment offers. */
export interface ChannelTerms {
  /** The account that signs claims and refunds: the address of CHANNEL_KEY. */
  receiverAuthorizer: Hex;
  /** Time between a payer's request to withdraw and the withdrawal, in seconds. */
  withdrawDelay: number;
  /** Minimum deposit, as a multiple of the price of a call. */
  minDepositCalls: number;
  /** CAIP-2 ids of the chains on which a facilitator supports channels. */
  chains: readonly string[];
}

/** The state of a payment channel, in the form that the payer gets. Amounts are in atomic units. */
export interface ChannelStateExtra {
  channelId: Hex;
  balance: string;
  totalClaimed: string;
  withdrawRequestedAt: number;
  refundNonce: string;
  chargedCumulativeAmount: string;
}

/** The entry of a 402 that offers payment through a channel (x402 v2, scheme "batch-settlement", "402 Response"). */
export interface ChannelRequirements {
  scheme: "batch-settlement";
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: {
    name: string;
    version: string;
    receiverAuthorizer: Hex;
    withdrawDelay: number;
    minDeposit: string;
    /**
     * The channel's state. Present only in the answer to a voucher whose amount does not follow from the last voucher
     * ("Corrective 402").
     */
    channelState?: ChannelStateExtra;
    /** The payer's last voucher, with which the payer can check `channelState`. Present only in a corrective 402. */
    voucherState?: { signedMaxClaimable: string; signature: Hex };
  };
}

/** Returns the entry of a 402 that offers to pay a price through a channel on a network. */
export function channelRequirementsOf(
  { caip2, asset, decimals, domain }: EvmNetwork,
  { receiverAuthorizer, withdrawDelay, minDepositCalls }: ChannelTerms,
  { price, payTo, maxTimeoutSeconds }: { price: Price; payTo: string; maxTimeoutSeconds: number },
): ChannelRequirements {
  const amount = atomicUnits(price, decimals);
  const minDeposit = String(BigInt(amount) * BigInt(minDepositCalls));
  return {
    scheme: "batch-settlement",
    network: caip2,
    amount,
    asset,
    payTo,
    maxTimeoutSeconds,
    extra: { ...domain, receiverAuthorizer, withdrawDelay, minDeposit },
  };
}
