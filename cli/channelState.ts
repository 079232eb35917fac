/** The state of a payer's channel, on this machine and on the chain (x402 scheme "batch-settlement"). */
import { homedir } from "node:os";
import { join } from "node:path";
import { toClientEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme, computeChannelId } from "@x402/evm/batch-settlement/client";
import { FileClientChannelStorage } from "@x402/evm/batch-settlement/client/file-storage";
import { createPublicClient, http, type PublicClient, parseAbi } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { EvmNetwork } from "../src/payments/wire/networks.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Offer } from "./offers.ts";

const CONTRACT = "0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003";
const ABI = parseAbi([
  "function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)",
  "function pendingWithdrawals(bytes32) view returns (uint128 amount, uint40 initiatedAt)",
]);

/** The channel of a payer at a deployment. Amounts are in atomic units. */
export interface OwnChannel {
  id: `0x${string}`;
  /** Amount deposited in the channel, including the amount that is already spent. */
  balance: bigint;
  /** Total price of all calls that the channel has paid for. */
  spent: bigint;
}

/**
 * Returns the official x402 client for the payer's channels at a deployment, and the id of the payer's channel.
 * @param deposit returns the amount of the next deposit; zero if none is needed
 * @throws Failure if the payment terms are malformed
 */
export function channelOf({ network, terms }: Offer, account: PrivateKeyAccount, { env }: Io, deposit = () => 0n) {
  const [way] = terms.accepts;
  const signer = toClientEvmSigner(account, {
    readContract: (args) =>
      readChain(network, env, (node) => node.readContract(args as Parameters<PublicClient["readContract"]>[0])),
  });
  const storage = new FileClientChannelStorage({ directory: stateFolder(env) });
  const scheme = new BatchSettlementEvmScheme(signer, { storage, depositStrategy: () => deposit() || undefined });
  try {
    const id = computeChannelId(scheme.buildChannelConfig(way as never), network.caip2);
    return { scheme, storage, id };
  } catch (error) {
    throw new Failure("not_x402", `the deployment's terms of channels are malformed: ${(error as Error).message}`);
  }
}

/**
 * Reads the state of the payer's channel from a local file, or from the chain if no file stores the state. The chain
 * does not know calls that are not claimed yet.
 * @throws Failure if the chain must be read and the chain's node does not answer
 */
export async function ownChannel(offer: Offer, account: PrivateKeyAccount, io: Io): Promise<OwnChannel> {
  const { storage, id } = channelOf(offer, account, io);
  const stored = await storage.get(id);
  if (stored?.balance !== undefined)
    return { id, balance: BigInt(stored.balance), spent: BigInt(stored.chargedCumulativeAmount ?? "0") };
  const { balance, claimed } = await onChain(offer.network, id, io);
  return { id, balance, spent: claimed };
}

/** The state of a payment channel in the contract on the chain. */
interface ChainState {
  balance: bigint;
  claimed: bigint;
  /** Time at which the payer requested a withdrawal, in Unix seconds. It is 0 without a request. */
  withdrawRequestedAt: number;
}

/**
 * Reads the state of a channel from the chain.
 * @throws Failure if the chain's node does not answer
 */
export async function onChain(network: EvmNetwork, id: `0x${string}`, { env }: Io): Promise<ChainState> {
  const contract = { address: CONTRACT, abi: ABI, args: [id] } as const;
  const [[balance, claimed], [, withdrawRequestedAt]] = await readChain(network, env, (node) =>
    Promise.all([
      node.readContract({ ...contract, functionName: "channels" }),
      node.readContract({ ...contract, functionName: "pendingWithdrawals" }),
    ]),
  );
  return { balance, claimed, withdrawRequestedAt };
}

/** Returns the folder with the state of channels. It contains no secrets. */
function stateFolder({ XDG_STATE_HOME, HOME = homedir() }: Io["env"]): string {
  return join(XDG_STATE_HOME || join(HOME, ".local/state"), "overprint/channels");
}

/** Reads a chain through the node in `RPC_URL`, or through the public node that viem lists for the chain. */
async function readChain<T>(
  { name, chainId }: EvmNetwork,
  { RPC_URL }: Io["env"],
  read: (node: PublicClient) => Promise<T>,
): Promise<T> {
  const url =
    RPC_URL || Object.values(await import("viem/chains")).find(({ id }) => id === chainId)?.rpcUrls.default.http[0];
  const node = createPublicClient({ transport: http(url) });
  return read(node).catch((error: Error) => {
    const { shortMessage = error.message } = error as { shortMessage?: string };
    throw new Failure(
      "node_unreachable",
      `the node of ${name} cannot be read: ${shortMessage}. Set RPC_URL to another node`,
    );
  });
}
