/** Payment channels on a local chain: the contracts of x402's scheme `batch-settlement`, and the official client. */
import { toClientEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type Hex, type LocalAccount, parseEther } from "viem";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import type { Chain } from "./anvil.ts";
import { compiled } from "./contracts.ts";

const { asset, caip2 } = NETWORKS["base-sepolia"];

/** Addresses of the scheme's contracts and of Multicall3. They are the same on every chain. */
const ADDRESSES = {
  Channels: "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003",
  DepositCollector: "0x4020806089470a89826cB9fB1f4059150b550004",
  Multicall: "0xcA11bde05977b3631167028862bE2a173976CA11",
} as const;

/** Parameters that identify a payment channel. */
export type ChannelConfig = ReturnType<BatchSettlementEvmScheme["buildChannelConfig"]>;

/** Installs the contracts on a chain. Returns functions that read and call them. */
export async function installChannels({ client }: Chain) {
  const contracts = await compiled("Channels");
  for (const [name, address] of Object.entries(ADDRESSES))
    await client.setCode({ address, bytecode: contracts[name]!.bytecode });
  const contract = { address: ADDRESSES.Channels, abi: contracts.Channels!.abi };
  const read = (functionName: string, args: unknown[]) => client.readContract({ ...contract, functionName, args });
  /** Gives the account Ether for the gas, calls a function of the contract, and waits for the receipt. */
  async function call(account: LocalAccount, functionName: string, args: unknown[]) {
    await client.setBalance({ address: account.address, value: parseEther("1") });
    const hash = await client.writeContract({ ...contract, account, functionName, args });
    return client.waitForTransactionReceipt({ hash });
  }

  return {
    /** Returns the id of a channel, as the contract computes it. */
    idOf: (config: ChannelConfig) => read("getChannelId", [config]) as Promise<Hex>,
    /** Returns the state of a channel in the contract. */
    async stateOf(id: Hex) {
      const [channel, withdrawal, refundNonce] = await Promise.all([
        read("channels", [id]),
        read("pendingWithdrawals", [id]),
        read("refundNonce", [id]),
      ]);
      const [balance, totalClaimed] = channel as [bigint, bigint];
      return { balance, totalClaimed, withdrawRequestedAt: (withdrawal as [bigint, number])[1], refundNonce };
    },
    /**
     * Returns the total amount that was claimed for a receiver, and the part of it that was transferred to the
     * receiver.
     */
    async totalsOf(receiver: string) {
      const [claimed, settled] = (await read("receivers", [receiver, asset])) as [bigint, bigint];
      return { claimed, settled };
    },
    /** Makes the payer request a withdrawal, as a payer does if a deployment refuses a refund. */
    requestWithdrawal: (payer: LocalAccount, config: ChannelConfig, amount: bigint) =>
      call(payer, "initiateWithdraw", [config, amount]),
    /** Executes a withdrawal that the payer requested earlier. */
    withdraw: (payer: LocalAccount, config: ChannelConfig) => call(payer, "finalizeWithdraw", [config]),
    /** Moves the chain's clock forward by this number of seconds. */
    async pass(seconds: number) {
      await client.increaseTime({ seconds });
      await client.mine({ blocks: 1 });
    },
  };
}

/** Functions that read and call the contracts of payment channels. */
export type ChannelContract = Awaited<ReturnType<typeof installChannels>>;

/**
 * Returns the official client that pays through a channel. Each client keeps its own record of the channel.
 * @param salt distinguishes several channels of one payer
 * @param largeDeposits allows deposits of more than 5 USDC, which is the client's default limit
 */
export function channelClient(
  { client: reader }: Chain,
  payer: LocalAccount,
  { salt, largeDeposits = false }: { salt?: Hex; largeDeposits?: boolean } = {},
) {
  const signer = toClientEvmSigner(payer, reader as never);
  const scheme = new BatchSettlementEvmScheme(signer, salt && { salt });
  const schemes = [{ network: caip2, client: scheme }];
  const client = x402Client.fromConfig({ schemes, ...(largeDeposits && { spendControls: false }) });
  return { scheme, client, fetch: wrapFetchWithPayment(fetch, client) };
}
