/** Pays for calls through a payment channel (x402 scheme "batch-settlement") with the official client. */
import { x402Client, x402HTTPClient } from "@x402/fetch";
import type { PrivateKeyAccount } from "viem/accounts";
import type { SignedPayment } from "../packages/client/paidCall.ts";
import { channelOf, type OwnChannel, ownChannel } from "./channelState.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import type { Offer } from "./offers.ts";
import { warn } from "./say.ts";

/** A payer's channel that can sign payments and update its state. */
export interface ChannelPayer extends OwnChannel {
  /** Amount that the next payment deposits into the channel. It is zero if the channel has enough money. */
  deposit: bigint;
  /** Signs the payment of one call. The payment includes a deposit if the channel needs one. */
  sign(): Promise<SignedPayment>;
}

/**
 * Returns the channel that pays for the next call. The channel need not exist on the chain yet. Its state comes from a
 * local file, or from the chain if no file stores the state.
 * @param calls number of calls that the deposit must cover
 * @throws Failure if the state must be read from the chain and the chain's node does not answer
 */
export async function openChannel(offer: Offer, account: PrivateKeyAccount, io: Io, calls = 1): Promise<ChannelPayer> {
  const { network, amount, terms } = offer;
  const { scheme, storage, id } = channelOf(offer, account, io, () => channel.deposit);
  const client = x402Client.fromConfig({
    schemes: [{ network: network.caip2, client: scheme }],
    // sets no limits here, because announce() checks the price and the deposit before the first payment
    spendControls: false,
  });
  const httpClient = new x402HTTPClient(client);
  /**
   * Handles an error of the official x402 client, which throws if an answer charges more than the price. If the call
   * succeeded, only prints a warning, because the file is paid for and must be delivered.
   */
  const distrust = ({ message }: Error, { ok }: Response) => {
    const words = `the deployment's account of the channel is wrong: ${message}. Do not use this channel again`;
    if (!ok) throw new Failure("channel_wrong", words);
    warn(words, io);
    return { recovered: false };
  };
  const state = await ownChannel(offer, account, io);

  const channel: ChannelPayer = {
    ...state,
    deposit: depositFor(state, offer, calls),
    async sign() {
      const payment = await client.createPaymentPayload(terms).catch((error: Error) => {
        if (error instanceof Failure) throw error;
        throw new Failure("not_signed", `the payment could not be signed: ${error.message}`);
      });
      return {
        headers: httpClient.encodePaymentSignatureHeader(payment),
        network: network.caip2,
        expiresAt: undefined,
        async received(answer) {
          const header = (name: string) => answer.headers.get(name);
          const { recovered } = await httpClient
            .processPaymentResult(payment, header, answer.status)
            .catch((error: Error) => distrust(error, answer));
          const { balance = "0", chargedCumulativeAmount = "0" } = (await storage.get(id)) ?? {};
          Object.assign(channel, { balance: BigInt(balance), spent: BigInt(chargedCumulativeAmount) });
          if (!recovered) return undefined;
          if (depositFor(channel, offer) > channel.deposit)
            throw new Failure(
              "deposit_needed",
              "another program has spent the rest of the channel: run the command again to deposit more",
            );
          channel.deposit = channel.spent + amount > channel.balance ? channel.deposit : 0n;
          return channel.sign();
        },
      };
    },
  };
  return channel;
}

/**
 * Returns the amount to deposit before a channel can pay for calls. It is zero if the channel has enough money.
 * Otherwise it is at least the deployment's minimum deposit.
 */
function depositFor({ balance, spent }: OwnChannel, { amount, terms }: Offer, calls = 1): bigint {
  const missing = spent + amount * BigInt(calls) - balance;
  if (missing <= 0n) return 0n;
  const { minDeposit } = (terms.accepts[0]?.extra ?? {}) as { minDeposit?: unknown };
  const least = /^\d{1,30}$/.test(String(minDeposit)) ? BigInt(String(minDeposit)) : 0n;
  return missing > least ? missing : least;
}
