/** Simulates the contract of payment channels and a facilitator for tests. */
import type { ChannelFacilitator } from "../../src/payments/facilitators/channelFacilitator.ts";
import type { ChannelSnapshot } from "../../src/payments/wire/channelTypes.ts";

/** The body of a request to the facilitator. */
interface Asked {
  paymentPayload: {
    payload: {
      type: string;
      voucher?: { maxClaimableAmount: string };
      deposit?: { amount: string; authorization: { erc3009Authorization: { signature: string } } };
      claims?: { totalClaimed: string; voucher: { maxClaimableAmount: string } }[];
      amount?: string;
      refundNonce?: string;
    };
  };
}

/** The contract of payment channels and a facilitator, as specified. Tests can enable faults. */
export class TestChain {
  snapshot: ChannelSnapshot = { balance: "0", totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" };
  /** Number of calls to the facilitator, by transaction type or `verify`. */
  calls: Record<string, number> = {};
  /** Whether the facilitator is unavailable: it neither acts nor answers. */
  isAway = false;
  /** Whether the facilitator's answers are lost, although it sends the transactions. */
  losesAnswers = false;
  /** Claimed amount that the contract has transferred to the seller. */
  swept = 0n;
  readonly #used = new Set<string>();
  readonly #names: string[] = [];

  /** Names of the facilitators that received transaction requests. */
  get asked(): readonly string[] {
    return this.#names;
  }

  facilitator(name: string): ChannelFacilitator {
    return {
      name,
      verify: async (request) => {
        this.#count("verify");
        if (this.isAway) return { outcome: "unknown" };
        const { type, voucher, deposit } = (JSON.parse(request) as Asked).paymentPayload.payload;
        const [max, balance] = [BigInt(voucher!.maxClaimableAmount), BigInt(this.snapshot.balance)];
        const [held, claimed] = [balance + BigInt(deposit?.amount ?? 0), BigInt(this.snapshot.totalClaimed)];
        if (held === 0n) return { outcome: "invalid", reason: "channel_not_found" };
        if (max > held) return { outcome: "invalid", reason: "cumulative_exceeds_balance" };
        if (type === "refund" ? max < claimed : max <= claimed)
          return { outcome: "invalid", reason: "cumulative_below_claimed" };
        return { outcome: "valid", snapshot: this.snapshot };
      },
      settle: async (request) => {
        this.#names.push(name);
        const { payload } = (JSON.parse(request) as Asked).paymentPayload;
        this.#count(payload.type);
        if (this.isAway) return { outcome: "failed", reason: "no answer", isUnsure: true };
        const amount = this.#execute(payload);
        if (this.losesAnswers) return { outcome: "failed", reason: "no answer", isUnsure: true };
        if (amount === undefined) return { outcome: "failed", reason: "simulation_failed", isUnsure: false };
        return { outcome: "sent", transaction: `0x-${payload.type}`, amount, snapshot: this.snapshot };
      },
    };
  }

  #count(name: string): void {
    this.calls[name] = (this.calls[name] ?? 0) + 1;
  }

  /** Executes a transaction. Returns the moved amount, or undefined if the contract reverts. */
  #execute({
    type,
    deposit,
    claims = [],
    amount,
    refundNonce,
  }: Asked["paymentPayload"]["payload"]): string | undefined {
    const { signature = "" } = deposit?.authorization.erc3009Authorization ?? {};
    if (this.#used.has(signature)) return undefined;
    if (deposit) {
      this.#used.add(signature);
      this.#change({ balance: BigInt(deposit.amount) });
      return deposit.amount;
    }
    if (type === "refund" && refundNonce !== this.snapshot.refundNonce) return undefined;
    for (const { totalClaimed, voucher } of claims) {
      const [total, before] = [BigInt(totalClaimed), BigInt(this.snapshot.totalClaimed)];
      if (total > BigInt(this.snapshot.balance) || total > BigInt(voucher.maxClaimableAmount)) return undefined;
      if (total > before) this.#change({ totalClaimed: total - before });
    }
    if (type === "refund") {
      const free = BigInt(this.snapshot.balance) - BigInt(this.snapshot.totalClaimed);
      const refunded = BigInt(amount!) < free ? BigInt(amount!) : free;
      this.#change({ balance: -refunded });
      this.snapshot = { ...this.snapshot, refundNonce: String(BigInt(refundNonce!) + 1n) };
      return String(refunded);
    }
    if (type !== "settle") return "";
    const moved = BigInt(this.snapshot.totalClaimed) - this.swept;
    this.swept += moved;
    return String(moved);
  }

  #change({ balance = 0n, totalClaimed = 0n }: { balance?: bigint; totalClaimed?: bigint }): void {
    const add = (to: string, amount: bigint) => String(BigInt(to) + amount);
    const { snapshot } = this;
    this.snapshot = {
      ...snapshot,
      balance: add(snapshot.balance, balance),
      totalClaimed: add(snapshot.totalClaimed, totalClaimed),
    };
  }

  /** Makes the payer request a withdrawal of the whole balance at the time `seconds`. */
  requestWithdrawal(seconds: number): void {
    this.snapshot = { ...this.snapshot, withdrawRequestedAt: seconds };
  }

  /** Makes the payer withdraw the whole balance except the claimed amount. */
  withdraw(): void {
    this.snapshot = { ...this.snapshot, balance: this.snapshot.totalClaimed, withdrawRequestedAt: 0 };
  }
}

const chains = new Map<string, TestChain>();

/**
 * Answers like a facilitator that supports payment channels. Each facilitator name has its own chain, which holds one
 * channel.
 */
export async function channelFacilitatorAt(name: string, call: string, body: string): Promise<Response> {
  if (call === "supported") {
    const kinds = ["exact", "batch-settlement"].map((scheme) => ({ x402Version: 2, scheme, network: "eip155:84532" }));
    return Response.json({ kinds: [...kinds, { x402Version: 1, scheme: "exact", network: "base-sepolia" }] });
  }
  const chain = chains.get(name) ?? new TestChain();
  chains.set(name, chain);
  if (call === "count") return Response.json(chain.calls);
  const facilitator = chain.facilitator(name);
  if (call === "verify") {
    const verdict = await facilitator.verify(body);
    if (verdict.outcome === "valid") return Response.json({ isValid: true, payer: "", extra: verdict.snapshot });
    return Response.json({ isValid: false, invalidReason: verdict.outcome === "invalid" ? verdict.reason : "" });
  }
  const sent = await facilitator.settle(body);
  if (sent.outcome === "failed") return Response.json({ success: false, errorReason: sent.reason, transaction: "" });
  const { transaction, amount, snapshot: channelState } = sent;
  return Response.json({ success: true, transaction, amount, extra: { channelState } });
}
