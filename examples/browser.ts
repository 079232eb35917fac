/**
 * Marks a PDF from a web page on any host. A wallet in the reader's browser pays (EIP-6963). The service allows calls
 * from other origins (CORS), so the page needs no server-side code. While `npm run dev` is running, start:
 *
 *   npx esbuild examples/browser.ts --bundle --format=esm --outdir=examples --servedir=examples --serve=127.0.0.1:8000
 *
 * Then open http://127.0.0.1:8000/browser.html
 */
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { createWalletClient, custom, type EIP1193Provider } from "viem";

const SERVICE = new URLSearchParams(location.search).get("service") ?? "http://127.0.0.1:8787";

const form = document.querySelector("form")!;
const answer = document.querySelector("output")!;

/** The wallets of this browser, which announce themselves on request. */
const wallets: EIP1193Provider[] = [];
addEventListener("eip6963:announceProvider", (event) => {
  wallets.push((event as CustomEvent<{ provider: EIP1193Provider }>).detail.provider);
});
dispatchEvent(new Event("eip6963:requestProvider"));

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const [wallet] = wallets;
    if (!wallet) throw new Error("There is no wallet in this browser.");
    answer.textContent = "Your wallet asks whether to pay …";
    const { output, cost } = await buy(wallet, new FormData(form));
    const link = document.createElement("a");
    link.href = output.url;
    link.textContent = `${output.pages} pages marked for ${cost}`;
    answer.replaceChildren(link);
  } catch (error) {
    answer.textContent = (error as Error).message;
  }
});

/** Sends the form and pays the price with the wallet. */
async function buy(wallet: EIP1193Provider, body: FormData) {
  const [address] = await wallet.request({ method: "eth_requestAccounts" });
  if (!address) throw new Error("The wallet gave no account.");
  const client = createWalletClient({ account: address, transport: custom(wallet) });
  const signer = {
    address,
    async signTypedData(message: { domain: Record<string, unknown> } & Record<string, unknown>) {
      await client.switchChain({ id: Number(message.domain.chainId) }); // a wallet signs only for its current chain
      return client.signTypedData(message as unknown as Parameters<typeof client.signTypedData>[0]);
    },
  };
  const payingFetch = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(signer) }],
  });
  const response = await payingFetch(`${SERVICE}/v1/watermark/text`, {
    method: "POST",
    headers: { "Idempotency-Key": crypto.randomUUID() }, // a call repeated with this key is charged once
    body,
  });
  const sold = await response.json();
  if (!response.ok) throw new Error(sold.detail ?? sold.error);
  return sold as { output: { url: string; pages: number }; cost: string };
}
