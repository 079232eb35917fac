/**
 * The key that signs claims and refunds of channels. This file is loaded on first use, because setting up the elliptic
 * curve takes milliseconds of the start-up time. The file imports only the needed functions of viem, so that the bundle
 * omits the rest of viem.
 */
import { privateKeyToAddress, sign } from "viem/accounts";
import type { Hex } from "./channelTypes.ts";

/** Returns the address of a key. Offers contain this address. */
export function channelSigner(privateKey: Hex): Hex {
  return privateKeyToAddress(privateKey);
}

/** Signs a hash with the key for claims and refunds. */
export async function signChannelHash(hash: Hex, privateKey: Hex): Promise<Hex> {
  return sign({ hash, privateKey, to: "hex" });
}
