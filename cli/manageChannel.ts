/** Runs `overprint channel`: shows the payer's channel at a deployment, or refunds its balance. */
import { channelOf, onChain, ownChannel } from "./channelState.ts";
import { originOf, request } from "./deployment.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import { accountFor } from "./key.ts";
import { askPrice, moneyOf } from "./offers.ts";
import { checkPayment, LOCAL, type PaymentChoice } from "./payment.ts";
import { printJson, say } from "./say.ts";

/** Path of the endpoint that refunds a channel. */
const CHANNEL_PATH = "/v1/channel";

/** Flags of `overprint channel`. */
export interface ManageOptions extends Pick<PaymentChoice, "keyFile" | "network"> {
  url?: string;
  json?: boolean;
}

/**
 * Runs `overprint channel`.
 * @throws Failure if the deployment offers no channels or refuses the refund, or if the chain cannot be read
 */
export async function manageChannel(action: "status" | "refund", options: ManageOptions, io: Io): Promise<void> {
  checkPayment(options);
  const url = originOf(options.url ?? LOCAL);
  const account = accountFor(url, options.keyFile, io);
  const endpoint = new URL("/v1/watermark/text", url);
  const offer = await askPrice(endpoint, 2, { network: options.network, channel: true });
  const { network, amount } = offer;
  const { id, balance, spent } = await ownChannel(offer, account, io);
  const common = { channel_id: id, network: network.name, payer: account.address, receiver: offer.payTo };

  if (action === "refund") {
    const { scheme } = channelOf(offer, account, io);
    const fetch = (input: URL | RequestInfo, init?: RequestInit) => request(String(input), init);
    const refund = await scheme.refund(new URL(CHANNEL_PATH, url).href, { fetch }).catch((error: Error) => {
      if (error instanceof Failure) throw error;
      throw new Failure("not_refunded", `the channel was not refunded: ${error.message}`);
    });
    if (!refund.success)
      throw new Failure("not_refunded", `the channel was not refunded: ${refund.errorReason ?? "no reason given"}`);
    const refunded = BigInt(refund.amount || 0);
    if (options.json) printJson({ ...common, refunded: String(refunded), transaction: refund.transaction }, io);
    else say(`Refunded ${moneyOf(refunded, network)} on ${network.name}, transaction ${refund.transaction}`, io.stdout);
    return;
  }

  const chain = await onChain(network, id, io);
  const left = balance - spent;
  const { withdrawRequestedAt } = chain;
  if (options.json) {
    const amounts = { balance, spent, left, claimed: chain.claimed };
    const texts = Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, String(value)]));
    printJson({ ...common, ...texts, withdraw_requested_at: withdrawRequestedAt || null }, io);
    return;
  }
  say(`Channel ${id} on ${network.name}, from ${account.address} to ${offer.payTo}`, io.stdout);
  if (balance === 0n) return say("Not open. `overprint buy --channel` opens it with a deposit", io.stdout);
  const [money, calls] = [(value: bigint) => moneyOf(value, network), left / amount];
  say(`${money(left)} left for ${calls} calls, of ${money(balance)}. Spent ${money(spent)}`, io.stdout);
  say(`The deployment has claimed ${money(chain.claimed)}`, io.stdout);
  if (withdrawRequestedAt > 0)
    say(`A withdrawal was requested at ${new Date(withdrawRequestedAt * 1000).toISOString()}`, io.stdout);
}
