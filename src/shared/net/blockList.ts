import ipaddr from "ipaddr.js";

/** The addresses, wallets and hosts that an operator does not serve. */
export interface BlockList {
  /** Networks of callers. A single address is a network with all bits. */
  networks: readonly Network[];
  /** Wallets of payers. Wallets on EVM chains are in lower case. */
  payers: ReadonlySet<string>;
  /** Hosts of source files in lower case. Each one includes its subdomains. */
  hosts: readonly string[];
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const HOST = /^(?:[a-z0-9_-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/i;

/** Returns the problem of an entry of a block list, or undefined if the entry is well-formed. */
export function blockProblem(entry: string): string | undefined {
  const [, bits] = networkOf(entry) ?? [];
  if (bits === 0) return "blocks every address. Set SELLING=false instead";
  if (bits !== undefined || EVM_ADDRESS.test(entry) || SOLANA_ADDRESS.test(entry) || HOST.test(entry)) return undefined;
  return "must be an IP address, a network such as 203.0.113.0/24, a wallet, or a host name such as files.example.com";
}

/** Returns the block list of well-formed entries. */
export function blockListOf(entries: readonly string[]): BlockList {
  const others = entries.filter((entry) => !networkOf(entry));
  return {
    networks: entries.flatMap((entry) => {
      const network = networkOf(entry);
      return network ? [network] : [];
    }),
    payers: new Set(others.filter((entry) => !entry.includes(".")).map(walletOf)),
    hosts: others.filter((entry) => entry.includes(".")).map((host) => host.toLowerCase()),
  };
}

/** Returns whether an IP address is in a blocked network. */
export function isBlockedAddress({ networks }: BlockList, address: string): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
}

/** Returns whether a wallet is blocked. */
export function isBlockedPayer({ payers }: BlockList, wallet: string): boolean {
  return payers.has(walletOf(wallet));
}

/** Returns whether a host or a domain above it is blocked. */
export function isBlockedHost(hosts: readonly string[], hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return hosts.some((host) => name === host || name.endsWith(`.${host}`));
}

function networkOf(entry: string): Network | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!/[.:]/.test(entry) || !(ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry)))
    return undefined;
  const address = ipaddr.process(entry);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function walletOf(wallet: string): string {
  return EVM_ADDRESS.test(wallet) ? wallet.toLowerCase() : wallet;
}
