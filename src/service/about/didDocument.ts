import type { Config } from "../../settings/config.ts";
import { receiptSigner } from "../sale/proof.ts";

/** Path of the document that a `did:web` refers to (did:web, "Read (Resolve)"). */
export const DID_DOCUMENT = "/.well-known/did.json";

/**
 * Returns the document that identifies the signing key of offers and receipts (DID Core, 5.2). The document contains
 * the key as a JWK, and the key's address, which can be recovered from an EIP-712 signature. Returns undefined if the
 * deployment signs nothing.
 * @param host host name, with the port if the URL has one
 */
export async function didDocument(host: string, config: Config): Promise<object | undefined> {
  const signer = await receiptSigner(config);
  if (!signer) return undefined;
  const { address, publicKey } = signer;
  const id = `did:web:${host.replaceAll(":", "%3A")}`;
  const coordinate = (start: number) =>
    Uint8Array.fromHex(publicKey.slice(start, start + 64)).toBase64({ alphabet: "base64url", omitPadding: true });
  const [key, account] = [`${id}#key`, `${id}#address`];
  return {
    "@context": [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/suites/jws-2020/v1",
      "https://w3id.org/security/suites/secp256k1recovery-2020/v2",
    ],
    id,
    verificationMethod: [
      {
        id: key,
        type: "JsonWebKey2020",
        controller: id,
        publicKeyJwk: { kty: "EC", crv: "secp256k1", x: coordinate(4), y: coordinate(68) },
      },
      {
        id: account,
        type: "EcdsaSecp256k1RecoveryMethod2020",
        controller: id,
        blockchainAccountId: `eip155:1:${address}`,
      },
    ],
    assertionMethod: [key, account],
  };
}
