import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/facilitator";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/facilitator";
import { createWalletClient, http } from "viem";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";
import type { Chain } from "./anvil.ts";

/**
 * Replaces the settlement of a payment and returns the facilitator's answer. `settle` runs the facilitator's own code.
 * The result `cut` closes the connection without an answer.
 */
type Settling = (settle: () => Promise<object>) => Promise<{ status: number; body: object } | "cut">;

/** Starts a server with the official facilitator code. A new account on this chain signs its transactions. */
export async function startFacilitator({ client, url, newSigner }: Chain) {
  const account = await newSigner();
  const wallet = createWalletClient({ account, chain: client.chain, transport: http(url), pollingInterval: 20 });
  let sent: Promise<unknown> = Promise.resolve();
  /**
   * Sends transactions one after the other, because a failed transaction resets the account's nonces and would
   * invalidate waiting transactions.
   */
  const inTurn = <T>(send: () => Promise<T>): Promise<T> => {
    const sending = sent.then(send);
    sent = sending.catch(() => undefined);
    return sending;
  };
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: (args) => client.readContract({ ...args, args: args.args ?? [] } as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => inTurn(() => wallet.writeContract(args as never)),
    sendTransaction: (args) => inTurn(() => wallet.sendTransaction(args as never)),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    getCode: (args) => client.getCode(args),
  });
  const facilitator = new x402Facilitator()
    .register(NETWORKS["base-sepolia"].caip2, new ExactEvmScheme(signer))
    .register(NETWORKS["base-sepolia"].caip2, new BatchSettlementEvmScheme(signer))
    .registerV1("base-sepolia" as never, new ExactEvmSchemeV1(signer));

  const payerOf = ({ payload }: PaymentPayload) => {
    const { authorization, channelConfig } = payload as {
      authorization?: { from: string };
      channelConfig?: { payer: string };
    };
    return authorization?.from ?? channelConfig?.payer ?? ""; // A claim has no payer, because the seller makes it.
  };
  return { account, inTurn, ...(await serveFacilitator(facilitator, payerOf)) };
}

/** Starts a server on loopback that offers a facilitator over HTTP. */
export async function serveFacilitator(facilitator: x402Facilitator, payerOf: (payment: PaymentPayload) => string) {
  const calls = { verify: 0, settle: 0 };
  const settled: string[] = [];
  let fault: "cut" | "hold" | undefined;
  const interposed = new Map<string, Settling>();
  let onVerify = async () => {};
  const server = createServer(async (request, response) => {
    if (request.url === "/supported")
      return response
        .writeHead(200, { "Content-Type": "application/json" })
        .end(JSON.stringify(facilitator.getSupported()));
    const call = request.url === "/settle" ? "settle" : "verify";
    calls[call]++;
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const { paymentPayload, paymentRequirements } = JSON.parse(Buffer.concat(chunks).toString()) as {
      paymentPayload: PaymentPayload;
      paymentRequirements: PaymentRequirements;
    };
    if (call === "settle") settled.push((paymentPayload.payload as { type?: string }).type ?? "exact");
    if (call === "verify") await onVerify();
    const settling = call === "settle" ? interposed.get(payerOf(paymentPayload)) : undefined;
    if (settling) {
      const answer = await settling(() => facilitator.settle(paymentPayload, paymentRequirements));
      if (answer === "cut") return response.destroy();
      return response.writeHead(answer.status, { "Content-Type": "application/json" }).end(JSON.stringify(answer.body));
    }
    const answer = await facilitator[call](paymentPayload, paymentRequirements);
    const happens = call === "settle" ? fault : undefined;
    if (call === "settle") fault = undefined;
    if (happens === "hold") return undefined;
    if (happens === "cut") return response.destroy();
    return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };

  return {
    url: `http://127.0.0.1:${port}`,
    /** Number of calls to `/verify` and `/settle`. */
    calls,
    /** Kind of each requested settlement: `exact`, or the payload type of a channel payment. */
    settled,
    /**
     * Makes the next settlement succeed but loses its answer. `cut` closes the connection, and `hold` keeps it open
     * without an answer.
     */
    loseNextAnswer: (how: "cut" | "hold") => {
      fault = how;
    },
    /** Runs `act` before each verification. */
    beforeVerify: (act: () => Promise<void>) => {
      onVerify = act;
    },
    /** Replaces the settlement of a payer's payments. The value undefined restores the default. */
    interpose: (payer: string, settling: Settling | undefined) => {
      if (settling) interposed.set(payer, settling);
      else interposed.delete(payer);
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
