/** Stand-in for viem's signatures. An address's signature depends only on the address. */
import { hash } from "node:crypto";

/** Returns an address's signature, which is the same for every message. */
export function signatureOf(address: string): string {
  const half = hash("sha256", `the key of ${address.toLowerCase()}`);
  return `0x${half}${half}1b`;
}

export async function verifyMessage({ address, signature }: { address: string; signature: string }): Promise<boolean> {
  return signature === signatureOf(address);
}

export function hashMessage(text: string): string {
  return `0x${hash("sha256", text)}`;
}
