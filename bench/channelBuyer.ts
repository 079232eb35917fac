/** A payer with a payment channel, and a facilitator's answers to this payer, for the benchmark of latency. */
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { x402Client, x402HTTPClient } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

/** The part of a request on which the facilitator's answer depends. */
interface Asked {
  paymentPayload: { payload: { deposit?: { amount: string }; voucher?: { channelId: string } } };
}

/** Returns a facilitator's answer to a deposit into a new channel; undefined if the request is not a deposit. */
export function depositAnswer(request: string, path: "/verify" | "/settle"): object | undefined {
  const { deposit, voucher } = (JSON.parse(request) as Asked).paymentPayload.payload;
  if (!deposit || !voucher) return undefined;
  const { channelId } = voucher;
  const state = { channelId, balance: "0", totalClaimed: "0", withdrawRequestedAt: 0, refundNonce: "0" };
  if (path === "/verify") return { isValid: true, extra: state };
  return {
    ...{ success: true, transaction: `0x${"ab".repeat(32)}`, network: "eip155:84532", amount: deposit.amount },
    extra: { channelState: { ...state, balance: deposit.amount } },
  };
}

/** Returns the official client for a new payer. The first payment of the payer opens a channel. */
export function newChannelPayer() {
  const scheme = new BatchSettlementEvmScheme(privateKeyToAccount(generatePrivateKey()));
  const client = x402Client.fromConfig({ schemes: [{ network: "eip155:84532", client: scheme }] });
  const http = new x402HTTPClient(client);
  let payment: Awaited<ReturnType<typeof client.createPaymentPayload>>;
  return {
    /** Signs a payment for the terms of a 402 answer, and returns the payment's headers. */
    async sign(unpaid: Response): Promise<Record<string, string>> {
      const terms = http.getPaymentRequiredResponse((name) => unpaid.headers.get(name));
      payment = await client.createPaymentPayload(terms);
      return http.encodePaymentSignatureHeader(payment);
    },
    /** Updates the channel from the answer to the signed payment. */
    received: ({ headers, status }: Response) =>
      http.processPaymentResult(payment, (name) => headers.get(name), status).then(() => {}),
  };
}
