import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { ExactEvmSchemeV1 } from "@x402/evm/exact/v1/facilitator";
import { NETWORKS } from "../../../src/payments/networks.ts";
import type { Chain } from "./anvil.ts";

/** The official facilitator code on this chain, behind HTTP on loopback. */
export async function startFacilitator({ client }: Chain) {
  const [address] = await client.getAddresses();
  const signer = toFacilitatorEvmSigner({
    address: address!,
    readContract: (args) => client.readContract({ ...args, args: args.args ?? [] } as never),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => client.writeContract({ ...args, account: address! } as never),
    sendTransaction: (args) => client.sendTransaction({ ...args, account: address! } as never),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
    getCode: (args) => client.getCode(args),
  });
  const facilitator = new x402Facilitator()
    .register(NETWORKS["base-sepolia"].caip2, new ExactEvmScheme(signer))
    .registerV1("base-sepolia" as never, new ExactEvmSchemeV1(signer));

  const calls = { verify: 0, settle: 0 };
  let fault: "cut" | "hold" | undefined;
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
    /** How often it was asked. */
    calls,
    /** The next settlement goes through, and its answer is lost: the connection is cut, or held for ever. */
    loseNextAnswer: (how: "cut" | "hold") => {
      fault = how;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
