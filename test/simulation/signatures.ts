/** In the place of viem's: what an address alone is said to know. */
import { hash } from "node:crypto";

/** Returns an address's signature, of whatever it signs. */
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
