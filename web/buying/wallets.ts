import type { EIP1193Provider } from "viem";

/** A wallet that has announced itself to the page (EIP-6963). Its words are its own. */
export interface Wallet {
  info: { uuid: string; name: string; icon: string };
  provider: EIP1193Provider;
}

/** How long wallets may take to announce themselves when they are asked to. */
const PATIENCE_MS = 300;

const announced = new Map<string, Wallet>();
addEventListener("eip6963:announceProvider", (event) => {
  const wallet = (event as CustomEvent<Wallet>).detail;
  announced.set(wallet.info.uuid, wallet);
});

/** Returns the wallets of this browser. */
export async function findWallets(): Promise<Wallet[]> {
  dispatchEvent(new Event("eip6963:requestProvider"));
  if (announced.size === 0) await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  return [...announced.values()];
}
