import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HTTPFacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from "@x402/core/server";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/server";
import type { LocalAccount } from "viem";
import { NETWORKS } from "../../../src/payments/wire/networks.ts";

const { caip2 } = NETWORKS["base-sepolia"];

/**
 * Starts a server that sells for 0.05 USDC with the official server code of `batch-settlement`. Tests use this server
 * to show that the test contracts and the project's clients also work with server code of other authors.
 * @param authorizer account that signs claims and refunds
 * @param answer returns the response body of a sale, given the address of the server
 */
export async function startOfficialSeller(
  facilitatorUrl: string,
  payTo: `0x${string}`,
  authorizer: LocalAccount,
  answer: (url: string) => object = () => ({}),
) {
  const scheme = new BatchSettlementEvmScheme(payTo, { receiverAuthorizerSigner: authorizer });
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const resources = new x402ResourceServer(facilitator).register(caip2, scheme);
  const accepts = { scheme: scheme.scheme, network: caip2, price: "$0.05", payTo };
  const sale = new x402HTTPResourceServer(resources, {
    "POST /v1/watermark/text": { accepts },
    "GET /v1/channel": { accepts },
  });
  await sale.initialize();
  const server = createServer(async (request, response) => {
    const header = (name: string) => request.headers[name.toLowerCase()] as string | undefined;
    const [path, method] = [request.url!, request.method!];
    const adapter = {
      getHeader: header,
      getMethod: () => method,
      getPath: () => path,
      getUrl: () => `http://${header("host")}${path}`,
      getAcceptHeader: () => header("accept") ?? "",
      getUserAgent: () => header("user-agent") ?? "",
    };
    const context = { adapter, path, method };
    const asked = await sale.processHTTPRequest(context);
    if (asked.type === "payment-error") {
      const { status, headers, body } = asked.response;
      return response.writeHead(status, headers).end(JSON.stringify(body ?? {}));
    }
    if (asked.type !== "payment-verified") return response.end("%PDF-1.7\n"); // The body stands for the sold file.
    const { paymentPayload, paymentRequirements, declaredExtensions } = asked;
    const paid = await sale.processSettlement(paymentPayload, paymentRequirements, declaredExtensions, {
      request: context,
    });
    return response.writeHead(paid.success ? 200 : 402, paid.headers).end(JSON.stringify(answer(url)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    paidUrl: `${url}/v1/watermark/text`,
    refundUrl: `${url}/v1/channel`,
    channels: scheme.createChannelManager(facilitator, caip2),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
