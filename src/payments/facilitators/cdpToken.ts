import { Buffer } from "node:buffer";

/** An API key of the Coinbase Developer Platform, as its console issues it. */
export interface CdpKey {
  id: string;
  /**
   * The secret of the key. Ed25519: base64 of the 32-byte seed and the 32-byte public key. ES256: a PEM key, PKCS #8 or
   * SEC 1.
   */
  secret: string;
}

const LIFETIME_SECONDS = 120;

/**
 * Returns whether a secret has the format of a key. An invalid key in this format is detected only when it first signs.
 */
export function isCdpSecret(secret: string): boolean {
  const pem = /^-----BEGIN (EC )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END \1PRIVATE KEY-----\s*$/;
  return pem.test(secret.replaceAll("\\n", "\n")) || /^[A-Za-z0-9+/]{86}==$/.test(secret);
}

/**
 * Returns a signed token that CDP's API requires for one call (JWT, RFC 7519; the claims are described under "CDP API
 * key authentication"). The token is valid only for the method, host and path that it names.
 * @throws Error if the secret is neither PEM nor 64 bytes of base64; the message never contains the secret
 * @throws DOMException if WebCrypto rejects the key
 */
export async function cdpToken({ id, secret }: CdpKey, method: string, url: URL, nowSeconds: number): Promise<string> {
  const { key, algorithm, alg } = await importKey(secret);
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
  const head = encode({ alg, kid: id, typ: "JWT", nonce });
  const claims = encode({
    iss: "cdp",
    sub: id,
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + LIFETIME_SECONDS,
    uris: [`${method} ${url.host}${url.pathname}`],
  });
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(`${head}.${claims}`));
  return `${head}.${claims}.${base64url(new Uint8Array(signature))}`;
}

async function importKey(secret: string) {
  const pem = secret.replaceAll("\\n", "\n"); // a setting in one line contains \n instead of line breaks
  if (pem.includes("PRIVATE KEY")) {
    const der = bytesOf(pem.replace(/-----[^-]+-----|\s/g, ""));
    const pkcs8 = pem.includes("EC PRIVATE KEY") ? wrapSec1(der) : der;
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
    return { key, alg: "ES256", algorithm: { name: "ECDSA", hash: "SHA-256" } };
  }

  const bytes = bytesOf(secret.trim());
  if (bytes.length !== 64) throw new Error("the CDP key's secret is neither a PEM key nor 64 bytes of base64");
  const jwk = { kty: "OKP", crv: "Ed25519", d: base64url(bytes.subarray(0, 32)), x: base64url(bytes.subarray(32)) };
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "Ed25519" }, false, ["sign"]);
  return { key, alg: "EdDSA", algorithm: { name: "Ed25519" } };
}

/**
 * Returns a SEC 1 key (RFC 5915) wrapped as PKCS #8 (RFC 5958), the only form that WebCrypto imports. Assumes that all
 * lengths are under 256 bytes, which is true for every P-256 key.
 */
function wrapSec1(sec1: Uint8Array): Uint8Array<ArrayBuffer> {
  const ecPublicKeyP256 = new Uint8Array(Buffer.from("301306072a8648ce3d020106082a8648ce3d030107", "hex"));
  const version = Uint8Array.of(0x02, 0x01, 0x00);
  return tagged(0x30, [version, ecPublicKeyP256, tagged(0x04, [sec1])]);
}

function tagged(tag: number, parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = parts.flatMap((part) => [...part]);
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Uint8Array.of(tag, ...length, ...content);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("the CDP key's secret is not base64");
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
