/** Reads channels on their chains, and claims them with an account of the operator. */
import { createClient, type Hex, http, parseAbi, publicActions, walletActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type * as z from "zod";
import { CHANNEL_CONTRACT, claimHash, type VoucherClaim } from "../../src/payments/wire/channelTypes.ts";
import type { channelsPage } from "../../src/service/account/channels.ts";

/** A channel as `GET /v1/operator/channels` lists it. */
export type ListedChannel = z.output<ReturnType<typeof channelsPage>>["channels"][number];

/** A channel whose last voucher is not claimed on the chain. Amounts are in atomic units. */
export interface OpenOnChain {
  id: Hex;
  network: string;
  chainId: number;
  decimals: number;
  payer: string;
  balance: bigint;
  claimed: bigint;
  outstanding: bigint;
  claim: VoucherClaim;
  /**
   * Time from which the payer can withdraw the remaining balance; undefined unless the payer has requested a
   * withdrawal.
   */
  deadline: Date | undefined;
}

/** Maximum number of channels in one transaction. */
const BATCH = 25;

const ABI = parseAbi([
  "struct Config { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }",
  "struct Voucher { Config channel; uint128 maxClaimableAmount; }",
  "struct Claim { Voucher voucher; bytes signature; uint128 totalClaimed; }",
  "function channels(bytes32) view returns (uint128 balance, uint128 totalClaimed)",
  "function pendingWithdrawals(bytes32) view returns (uint128 amount, uint40 initiatedAt)",
  "function claimWithSignature(Claim[] claims, bytes authorizerSignature)",
  "function settle(address receiver, address token)",
]);
const CONTRACT = { address: CHANNEL_CONTRACT, abi: ABI } as const;

const nodeAt = (url: string) =>
  createClient({ transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
type Nodes = Map<number, ReturnType<typeof nodeAt>>;

/** Returns a client for each node, by the id of the node's chain. Omits Solana nodes, which report no chain id. */
export async function nodesByChain(rpcUrls: string[]): Promise<Nodes> {
  const nodes: Nodes = new Map();
  for (const url of rpcUrls) {
    const node = nodeAt(url);
    const id = await node.getChainId().catch(() => undefined);
    if (id !== undefined) nodes.set(id, node);
  }
  return nodes;
}

/**
 * Returns the channels that are not claimed on their chains, the most urgent first.
 * @throws Error if a chain has no node, or its node does not answer
 */
export async function openOnChain(channels: ListedChannel[], nodes: Nodes): Promise<OpenOnChain[]> {
  const read = channels.flatMap(({ channel, network, chain, decimals, payer, claims }) =>
    (claims as unknown as VoucherClaim[]).map(async (claim): Promise<OpenOnChain> => {
      const [id, chainId] = [channel as Hex, Number(chain.split(":")[1])];
      const node = nodeFor({ network, chainId }, nodes);
      const [[balance, claimed], [, requestedAt]] = await Promise.all([
        node.readContract({ ...CONTRACT, functionName: "channels", args: [id] }),
        node.readContract({ ...CONTRACT, functionName: "pendingWithdrawals", args: [id] }),
      ]);
      const until = requestedAt + claim.voucher.channel.withdrawDelay;
      const deadline = requestedAt === 0 ? undefined : new Date(until * 1000);
      const outstanding = BigInt(claim.totalClaimed) - claimed;
      return { id, network, chainId, decimals, payer, balance, claimed, outstanding, claim, deadline };
    }),
  );
  const open = (await Promise.all(read)).filter(({ outstanding }) => outstanding > 0n);
  const untilOf = ({ deadline }: OpenOnChain) => deadline?.getTime() ?? Number.MAX_SAFE_INTEGER;
  return open.sort((a, b) => untilOf(a) - untilOf(b));
}

/**
 * Claims channels and transfers the claimed amounts to their receivers.
 * @param keys `signer` is CHANNEL_KEY; `sender` pays the gas
 * @returns the transactions
 * @throws Error if a transaction fails
 */
export async function claimChannels(
  open: OpenOnChain[],
  nodes: Nodes,
  { signer, sender }: { signer: Hex; sender: Hex },
): Promise<Hex[]> {
  const [authorizer, account] = [privateKeyToAccount(signer), privateKeyToAccount(sender)];
  const transactions: Hex[] = [];
  const isOwn = ({ claim }: OpenOnChain) =>
    claim.voucher.channel.receiverAuthorizer.toLowerCase() === authorizer.address.toLowerCase();
  const foreign = open.find((channel) => !isOwn(channel));
  if (foreign) throw new Error(`CHANNEL_KEY is not the key of the channel ${foreign.id}`);
  for (const [chainId, own] of Map.groupBy(open, ({ chainId: id }) => id)) {
    const node = nodeFor(own[0]!, nodes);
    const send = async (call: object) => {
      const hash = await node.writeContract({ ...CONTRACT, account, chain: null, ...call } as never);
      const { status } = await node.waitForTransactionReceipt({ hash });
      if (status !== "success") throw new Error(`the transaction ${hash} failed`);
      transactions.push(hash);
    };
    for (let at = 0; at < own.length; at += BATCH) {
      const claims = own.slice(at, at + BATCH).map(({ claim }) => claim);
      const signature = await authorizer.sign({ hash: claimHash(claims, chainId) });
      await send({ functionName: "claimWithSignature", args: [claims.map(forContract), signature] });
    }
    const channels = own.map(({ claim }) => claim.voucher.channel);
    const sellers = new Map(channels.map(({ receiver, token }) => [`${receiver}:${token}`, [receiver, token]]));
    for (const args of sellers.values()) await send({ functionName: "settle", args });
  }
  return transactions;
}

function nodeFor({ network, chainId }: Pick<OpenOnChain, "network" | "chainId">, nodes: Nodes) {
  const node = nodes.get(chainId);
  if (!node) throw new Error(`RPC_URL has no node of ${network} that answers`);
  return node;
}

const forContract = ({ voucher, signature, totalClaimed }: VoucherClaim) => ({
  voucher: { channel: voucher.channel, maxClaimableAmount: BigInt(voucher.maxClaimableAmount) },
  signature,
  totalClaimed: BigInt(totalClaimed),
});
