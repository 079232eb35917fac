import type { EIP1193Provider } from "viem";

/** A wallet that announced itself to the page (EIP-6963). Its name and icon are untrusted. */
export interface Wallet {
  info: { uuid: string; name: string; icon: string };
  provider: EIP1193Provider;
}

/** Time that the page waits for wallets to announce themselves. */
const ANNOUNCEMENT_MS = 300;

const announced = new Map<string, Wallet>();
addEventListener("eip6963:announceProvider", (event) => {
  const wallet = (event as CustomEvent<Wallet>).detail;
  announced.set(wallet.info.uuid, wallet);
});

/** Returns the wallets that announce themselves in this browser. */
export async function findWallets(): Promise<Wallet[]> {
  dispatchEvent(new Event("eip6963:requestProvider"));
  if (announced.size === 0) await new Promise((resolve) => setTimeout(resolve, ANNOUNCEMENT_MS));
  return [...announced.values()];
}
