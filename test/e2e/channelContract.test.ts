import { decodePaymentResponseHeader } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NETWORKS } from "../../src/payments/wire/networks.ts";
import { type Chain, startChain } from "./chain/anvil.ts";
import { type ChannelContract, channelClient, installChannels } from "./chain/channels.ts";
import { startFacilitator } from "./chain/facilitator.ts";
import { startOfficialSeller } from "./chain/officialSeller.ts";

const { caip2 } = NETWORKS["base-sepolia"];
const PRICE = 50_000n;
const DEPOSIT = 10n * PRICE;
const DELAY_SECONDS = 900;

let chain: Chain;
let contract: ChannelContract;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
const sellers: Awaited<ReturnType<typeof startOfficialSeller>>[] = [];
beforeAll(async () => {
  chain = await startChain();
  contract = await installChannels(chain);
  facilitator = await startFacilitator(chain);
});
afterAll(async () => {
  for (const seller of sellers) await seller.stop();
  await facilitator?.stop();
  await chain?.stop();
});

/** Starts a new official seller, and a payer with a client. */
async function trade() {
  const receiver = privateKeyToAccount(generatePrivateKey()).address;
  const seller = await startOfficialSeller(facilitator.url, receiver, privateKeyToAccount(generatePrivateKey()));
  sellers.push(seller);
  const payer = await chain.payerWith(2n * DEPOSIT);
  const { scheme, client, fetch: pay } = channelClient(chain, payer);
  const offer = async () => {
    const answer = await fetch(seller.paidUrl, { method: "POST" });
    return JSON.parse(Buffer.from(answer.headers.get("PAYMENT-REQUIRED")!, "base64").toString()).accepts[0];
  };
  const config = scheme.buildChannelConfig(await offer());
  const id = await contract.idOf(config);
  const buy = async () => {
    const answer = await pay(seller.paidUrl, { method: "POST" });
    expect(answer.status).toBe(200);
    return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
  };
  return { receiver, seller, payer, scheme, client, config, id, buy };
}

describe("the test contract of payment channels with the official client, server and facilitator", () => {
  test("the channel contract accepts a deposit, claims several vouchers at once, and pays the receiver", async () => {
    const { receiver, seller, payer, id, buy } = await trade();
    const deposit = await buy();
    expect(deposit).toMatchObject({ amount: String(DEPOSIT), network: caip2 });
    const state = deposit.extra as { channelState: { channelId: string } };
    expect(state.channelState.channelId).toBe(id);
    const asked = { ...facilitator.calls };
    for (const charged of [2n, 3n]) {
      const voucher = await buy();
      expect(voucher).toMatchObject({
        transaction: "",
        extra: { channelState: { chargedCumulativeAmount: String(charged * PRICE) } },
      });
    }
    expect(facilitator.calls).toEqual(asked);
    expect(await contract.stateOf(id)).toMatchObject({ balance: DEPOSIT, totalClaimed: 0n });

    await seller.channels.claimAndSettle();
    expect(await contract.stateOf(id)).toMatchObject({ balance: DEPOSIT, totalClaimed: 3n * PRICE });
    expect(await contract.totalsOf(receiver)).toEqual({ claimed: 3n * PRICE, settled: 3n * PRICE });
    expect(await chain.balanceOf(receiver)).toBe(3n * PRICE);
    expect(await chain.balanceOf(payer.address)).toBe(DEPOSIT);
  });

  test("a channel refund first records the outstanding claim and then returns the rest to the payer", async () => {
    const { seller, payer, scheme, id, buy } = await trade();
    await buy();
    await buy();
    const refund = await scheme.refund(seller.refundUrl);
    expect(refund).toMatchObject({ success: true, amount: String(DEPOSIT - 2n * PRICE) });
    expect(await contract.stateOf(id)).toMatchObject({
      balance: 2n * PRICE,
      totalClaimed: 2n * PRICE,
      refundNonce: 1n,
    });
    expect(await chain.balanceOf(payer.address)).toBe(2n * DEPOSIT - 2n * PRICE);
  });

  test("the channel contract records the claims of several channels in one transaction", async () => {
    const { receiver, seller, buy } = await trade();
    await buy();
    const others = await Promise.all([1n, 2n].map(() => chain.payerWith(DEPOSIT)));
    for (const other of others)
      expect((await channelClient(chain, other).fetch(seller.paidUrl, { method: "POST" })).status).toBe(200);
    expect(await seller.channels.claim()).toMatchObject([{ vouchers: 3 }]);
    expect(await contract.totalsOf(receiver)).toEqual({ claimed: 3n * PRICE, settled: 0n });
  });

  // This test must be the last one, because it moves the chain's clock beyond the expiry of authorizations.
  test("the channel contract allows a withdrawal of unclaimed money after a delay, and rejects later claims", async () => {
    const [claimed, unclaimed] = [await trade(), await trade()];
    for (const { payer, config, id, buy } of [claimed, unclaimed]) {
      await buy();
      await contract.requestWithdrawal(payer, config, DEPOSIT);
      expect((await contract.stateOf(id)).withdrawRequestedAt).toBeGreaterThan(0);
      await expect(contract.withdraw(payer, config)).rejects.toThrow("WithdrawDelayNotElapsed");
    }
    await claimed.seller.channels.claim();
    await contract.pass(DELAY_SECONDS);
    for (const { payer, config } of [claimed, unclaimed]) await contract.withdraw(payer, config);
    expect(await contract.stateOf(claimed.id)).toMatchObject({ balance: PRICE, totalClaimed: PRICE });
    expect(await chain.balanceOf(claimed.payer.address)).toBe(2n * DEPOSIT - PRICE);
    expect(await chain.balanceOf(unclaimed.payer.address)).toBe(2n * DEPOSIT);
    await expect(unclaimed.seller.channels.claim()).rejects.toThrow("claim_simulation_failed");
  });
});
