import type { BrowserContext } from "playwright-core";
import type { LocalAccount } from "viem";

/** Simulated wallet extension that signs with a private key. */
export interface FakeWallet {
  name: string;
  account: LocalAccount;
  /** Id of the chain that the wallet currently uses. `knows` lists the chains that the wallet supports. */
  chainId: number;
  knows: number[];
  /** Whether the user refuses to sign. */
  declines?: boolean;
  /** Whether the wallet ignores requests to switch to another chain, without an error. */
  stays?: boolean;
  /** Answers an RPC request in place of the wallet's blockchain node. */
  node(method: string, params: unknown[]): Promise<unknown>;
}

/** Icon of all fake wallets. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect width='24' height='24' rx='6' fill='%23f6851b'/%3E%3C/svg%3E";

/**
 * Adds fake wallets to all pages of a browser context. A wallet announces itself when a page asks for wallets
 * (EIP-6963).
 */
export async function installWallets(context: BrowserContext, wallets: FakeWallet[]): Promise<{ asked: string[] }> {
  const asked: string[] = [];
  await context.exposeFunction("askWallet", async (index: number, method: string, params: unknown[]) => {
    asked.push(method);
    try {
      return { result: await answer(wallets[index]!, method, params) };
    } catch (error) {
      const { code = -32603, message } = error as { code?: number; message: string };
      return { error: { code, message } };
    }
  });
  await context.addInitScript(`(() => {
    const announce = (index, name) => {
      const provider = {
        on() {}, removeListener() {},
        async request({ method, params }) {
          const { result, error } = await askWallet(index, method, params ?? []);
          if (error) throw Object.assign(new Error(error.message), { code: error.code });
          return result;
        },
      };
      const info = { uuid: "wallet-" + index, name, icon: ${JSON.stringify(ICON)}, rdns: "test.wallet" };
      const detail = Object.freeze({ info, provider });
      addEventListener("eip6963:requestProvider", () =>
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })));
    };
    ${JSON.stringify(wallets.map(({ name }) => name))}.forEach((name, index) => announce(index, name));
  })()`);
  return { asked };
}

/** Answers a page's request to the wallet (EIP-1193), with the error codes of EIP-1193, EIP-3085 and EIP-3326. */
async function answer(wallet: FakeWallet, method: string, params: unknown[]): Promise<unknown> {
  const [first, second] = params as [{ chainId: string }, string];
  switch (method) {
    case "eth_requestAccounts":
      return [wallet.account.address];
    case "eth_chainId":
      return `0x${wallet.chainId.toString(16)}`;
    case "wallet_addEthereumChain":
      wallet.knows.push(Number(first.chainId));
      return null;
    case "wallet_switchEthereumChain":
      if (!wallet.knows.includes(Number(first.chainId)))
        throw Object.assign(new Error("Unrecognized chain ID"), { code: 4902 });
      if (!wallet.stays) wallet.chainId = Number(first.chainId);
      return null;
    case "eth_signTypedData_v4": {
      if (wallet.declines) throw Object.assign(new Error("User denied message signature."), { code: 4001 });
      const typed = JSON.parse(second) as { domain: { chainId: number | string } };
      if (Number(typed.domain.chainId) !== wallet.chainId) throw new Error("this is for another chain");
      return wallet.account.signTypedData(typed as never);
    }
    default:
      return wallet.node(method, params);
  }
}
