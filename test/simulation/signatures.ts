/**
 * Replaces viem's signatures in the simulation. A signature contains the signer, and a hash over the signer and the
 * signed hash.
 */
import { hash } from "node:crypto";

/** Signs a hash on behalf of the account `address`. */
export function signHash(signed: string, address: string): `0x${string}` {
  const signer = address.slice(2).toLowerCase();
  return `0x${hash("sha256", signer + signed)}${signer}${"0".repeat(26)}`;
}

/** Returns the account that signed a hash. Replaces the corresponding function of viem. */
export const recoverAddress = async ({ hash: signed, signature }: { hash: string; signature: string }) =>
  signerOf(signed, signature);

/** Returns the lower-case address of the account that signed a hash, or the zero address if the signature is forged. */
export function signerOf(signed: string, signature: string): string {
  const address = `0x${signature.slice(66, 106)}`;
  return signHash(signed, address) === signature ? address : `0x${"0".repeat(40)}`;
}

/** Returns a hash of structured data. */
export function hashTypedData(data: object): `0x${string}` {
  const text = JSON.stringify(data, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return `0x${hash("sha256", text)}`;
}

/** Returns the account that belongs to a private key. */
export function privateKeyToAddress(privateKey: string): `0x${string}` {
  return `0x${hash("sha256", privateKey).slice(0, 40)}`;
}

/** Signs a hash with a private key. */
export async function sign({ hash: signed, privateKey }: { hash: string; privateKey: string }): Promise<`0x${string}`> {
  return signHash(signed, privateKeyToAddress(privateKey));
}

/** Returns the signature of an address for a sign-in, which is the same for every message. */
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
