/** Lists payment channels for the operator of a deployment. */
import * as z from "zod";
import { OPEN_CHANNELS } from "../../payments/channels/channelObject.ts";
import { channelNameOf, type OpenChannel } from "../../payments/channels/channelRecord.ts";
import { once } from "../../shared/once.ts";

/** Maximum number of channels in an answer. */
const MAX_CHANNELS = 200;
/** Age of the oldest unclaimed sale after which the health check warns, in milliseconds. Claims are due after an hour. */
const LATE_MS = 6 * 3_600_000;

const channel = once(() =>
  z.strictObject({
    channel: z.string().describe("Id of the channel."),
    network: z.string(),
    chain: z.string().describe("Id of the chain (CAIP-2)."),
    payer: z.string(),
    decimals: z.int(),
    sold: z.string().describe("Sum of all sales, in the token's smallest unit."),
    claimed: z.string().describe("Sum of all claims."),
    balance: z.string().describe("All deposits without refunds and withdrawals."),
    unclaimed_since: z.iso.datetime(),
    deadline: z.iso.datetime().nullable().describe("Deadline of the claim; null unless a withdrawal is pending."),
    claims: z.array(z.looseObject({})).describe("Argument of `claimWithSignature`, with decimal numbers as strings."),
  }),
);

/** Schema of the answer to `GET /v1/operator/channels`. */
export const channelsPage = once(() =>
  z.strictObject({ channels: z.array(channel()).describe("The channels with sales that are not claimed yet.") }),
);

/** Returns the channels with sales that are not claimed yet. */
export async function listChannels({ LEDGER }: Env): Promise<z.output<ReturnType<typeof channelsPage>>> {
  const open: OpenChannel[] = await LEDGER.getByName(OPEN_CHANNELS).openChannels(MAX_CHANNELS);
  const views = await Promise.all(
    open.map(({ chain, channelId }) => LEDGER.getByName(channelNameOf(chain, channelId)).viewChannel()),
  );
  return {
    channels: open.flatMap(({ channelId, network, chain, payer, decimals, unclaimedSince, deadline }, at) => {
      const view = views[at];
      if (!view) return [];
      const { record, claims } = view;
      return [
        {
          ...{ channel: channelId, network, chain, payer, decimals },
          sold: record.charged,
          claimed: record.snapshot.totalClaimed,
          balance: record.snapshot.balance,
          unclaimed_since: new Date(unclaimedSince).toISOString(),
          deadline: deadline === undefined ? null : new Date(deadline).toISOString(),
          claims: claims.map((claim) => ({ ...claim })),
        },
      ];
    }),
  };
}

/** A summary of up to {@link MAX_CHANNELS} channels with unclaimed sales. Times are in Unix milliseconds. */
interface OpenClaims {
  count: number;
  /** Number of channels whose claims are late. */
  late: number;
  /** Number of channels with a pending withdrawal. */
  withdrawals: number;
  /** Time of the oldest unclaimed sale. */
  oldest?: number;
  /** First deadline of a claim. */
  deadline?: number;
}

/** Summarizes the channels with unclaimed sales. */
export async function openClaims({ LEDGER }: Env): Promise<OpenClaims> {
  const open: OpenChannel[] = await LEDGER.getByName(OPEN_CHANNELS).openChannels(MAX_CHANNELS);
  const deadlines = open.flatMap(({ deadline }) => deadline ?? []);
  const late = open.filter(({ unclaimedSince }) => unclaimedSince + LATE_MS < Date.now());
  return {
    ...{ count: open.length, late: late.length, withdrawals: deadlines.length },
    ...(open.length > 0 && { oldest: Math.min(...open.map(({ unclaimedSince }) => unclaimedSince)) }),
    ...(deadlines.length > 0 && { deadline: Math.min(...deadlines) }),
  };
}

/**
 * Returns warnings about claims for the health check. They cover overdue claims, and claims whose deadline a payer's
 * withdrawal has set.
 */
export async function claimProblems(env: Env): Promise<string[]> {
  const { late, withdrawals, deadline } = await openClaims(env);
  return [
    ...(deadline === undefined
      ? []
      : [
          `${withdrawals} payment channels have a pending withdrawal and unclaimed sales. The first claim must be on the chain by ${new Date(deadline).toISOString()}`,
        ]),
    ...(late > 0 ? [`the sales of ${late} payment channels are not claimed after six hours`] : []),
  ];
}
