import { setTimeout as sleep } from "node:timers/promises";
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { Hex, LocalAccount } from "viem";
import { expect } from "vitest";
import { samplePdf } from "../../../scripts/lib/samplePdf.ts";
import { result } from "../../../src/service/request/schemas.ts";
import type { Chain } from "./anvil.ts";
import { type ChannelContract, channelClient } from "./channels.ts";

/** Price of a call in millionths of a USDC. */
export const PRICE = 50_000n;
/** Default minimum deposit of a channel: the price of ten calls. */
export const DEPOSIT = 10n * PRICE;

const sample = new Uint8Array(await samplePdf());

/** Returns a request for a marked PDF. The Worker treats requests with different texts as different calls. */
function markRequest(text: string, file = sample): RequestInit {
  const form = new FormData();
  form.set("file", new File([file], "sample.pdf"));
  form.set("text", text);
  return { method: "POST", body: form };
}

/** Payment response of a call, with the data about the channel. */
interface ChannelResponse {
  transaction: string;
  amount: string;
  extra: { chargedAmount?: string; channelState: { chargedCumulativeAmount: string; channelId: Hex } };
}

/** Returns the payment response of a call, and expects that the call was sold. */
export function channelReceipt(answer: Response): ChannelResponse {
  const refused = answer.headers.get("PAYMENT-REQUIRED");
  expect(answer.status, refused ? decodePaymentRequiredHeader(refused).error : "").toBe(200);
  return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!) as unknown as ChannelResponse;
}

/** Returns the number of calls charged to a channel, according to the answer to a sold call. */
export function callsCharged(answer: Response): number {
  return Number(channelReceipt(answer).extra.channelState.chargedCumulativeAmount) / Number(PRICE);
}

/** Returns the reason in the 402 answer to a refused call. */
export function refusedReason(answer: Response): string | undefined {
  expect(answer.status).toBe(402);
  return decodePaymentRequiredHeader(answer.headers.get("PAYMENT-REQUIRED")!).error;
}

/** Checks that a call was sold, downloads its result, and returns its URL. */
export async function soldUrl(answer: Response): Promise<string> {
  channelReceipt(answer);
  const { output } = result.parse(await answer.json());
  const download = await fetch(output.url);
  expect(download.status).toBe(200);
  expect((await download.bytes()).length).toBeGreaterThan(sample.length);
  return output.url;
}

/**
 * Returns a payer and the official client of this payer's channel at a Worker.
 * @param worker the Worker, whose address may change when it restarts
 * @param payer by default a new payer with money for two deposits
 */
export async function channelBuyer(
  chain: Chain,
  contract: ChannelContract,
  worker: { url: string },
  payer?: LocalAccount,
  options?: Parameters<typeof channelClient>[2],
) {
  const account = payer ?? (await chain.payerWith(2n * DEPOSIT));
  const own = channelClient(chain, account, options);
  const endpoint = () => `${worker.url}/v1/watermark/text`;
  const terms = async () => {
    const unpaid = await fetch(endpoint(), { method: "POST" });
    return decodePaymentRequiredHeader(unpaid.headers.get("PAYMENT-REQUIRED")!);
  };
  const config = async () => {
    const { accepts } = await terms();
    return own.scheme.buildChannelConfig(accepts.find(({ scheme }) => scheme === own.scheme.scheme)!);
  };
  return {
    ...own,
    account,
    terms,
    config,
    /** Buys a marked PDF. Without `text`, the request differs from all others. */
    buy: (text: string = crypto.randomUUID(), headers: Record<string, string> = {}) =>
      own.fetch(endpoint(), { ...markRequest(text), headers }),
    /**
     * Signs the client's next payment. Returns a function that sends this payment with a request, any number of times.
     */
    async sign(headers: Record<string, string> = {}) {
      const signed = encodePaymentSignatureHeader(await own.client.createPaymentPayload(await terms()));
      return (text: string = crypto.randomUUID(), file?: Uint8Array<ArrayBuffer>) =>
        fetch(endpoint(), { ...markRequest(text, file), headers: { ...headers, "PAYMENT-SIGNATURE": signed } });
    },
    refund: () => own.scheme.refund(`${worker.url}/v1/channel`),
    /** Returns the state of the channel in the contract on the chain. */
    state: async () => contract.stateOf(await contract.idOf(await config())),
  };
}

/** Repeats a call until it succeeds, at most `attempts` times. */
export async function patiently(call: () => Promise<Response>, attempts: number): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await call();
    if (answer.status === 200 || attempt === attempts) return answer;
    await answer.body?.cancel();
    await sleep(100);
  }
}
