import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { isSolana, type Network } from "../../src/payments/wire/networks.ts";
import { Failure } from "./failure.ts";
import { chainOf, isTestNetwork } from "./testNetworks.ts";

/** Returns the EVM test networks. A test sale pays only on these, and signs payments for no other network. */
export function payableNetworks(networks: readonly Network[]): Network[] {
  return networks.filter((network) => isTestNetwork(network) && !isSolana(network));
}

/**
 * Returns the wallet of a private key. The key may begin with 0x.
 * @throws Failure if the key is malformed; the message does not contain the key
 */
export function payerWith(key: string): LocalAccount {
  try {
    return privateKeyToAccount(`0x${key.replace(/^0x/, "")}`);
  } catch {
    throw new Failure(
      "The private key for the test sale is malformed. It needs 64 hexadecimal digits",
      "Mend PRIVATE_KEY, or the --key-file",
    );
  }
}

/**
 * Buys a mark on a small contract from a deployment, with the official client.
 * @param networks the networks that {@link payableNetworks} returns
 * @returns the lines to print: the result, the transaction in its chain's explorer, and the receipt
 * @throws Failure if the sale fails
 */
export async function buyFrom(url: string, account: LocalAccount, networks: readonly Network[]): Promise<string[]> {
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: networks.map(({ caip2 }) => ({ network: caip2, client: new ExactEvmScheme(account) })),
  });
  const form = new FormData();
  const contract = await readFile(join(import.meta.dirname, "../../examples/contract.pdf"));
  form.set("file", new File([contract], "contract.pdf", { type: "application/pdf" }));
  form.set("text", "FIRST SALE");
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const response = await pay(`${url}/v1/watermark/text`, { method: "POST", headers, body: form });
  const answer = (await response.json().catch(() => ({}))) as {
    detail?: string;
    error?: string;
    cost?: string;
    output?: { url: string; pages: number };
  };
  const receipt = response.headers.get("PAYMENT-RESPONSE");
  if (!response.ok || !answer.output || !receipt)
    throw new Failure(
      `The test sale failed: ${response.status} ${answer.error ?? ""} ${answer.detail ?? ""}`
        .replace(/ +/g, " ")
        .trim(),
      `${account.address} needs ${networks.map(({ name }) => name).join(" or ")} USDC, free at https://faucet.circle.com. The deployment stays`,
    );

  const { network: where, transaction } = decodePaymentResponseHeader(receipt);
  const network = networks.find(({ caip2, name }) => where === caip2 || where === name);
  const explorer = network && chainOf(network)?.blockExplorers?.default.url;
  return [
    `Sold to ${account.address}: ${answer.output.pages} pages for ${answer.cost} on ${network?.name ?? where}`,
    `Transaction: ${explorer ? `${explorer}/tx/` : ""}${transaction}`,
    `Receipt: ${Buffer.from(receipt, "base64").toString()}`,
    `Result: ${answer.output.url}`,
  ];
}
