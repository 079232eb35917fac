/**
 * Sign-in with the key that signs payments: the x402 extension "sign-in-with-x" (CAIP-122). The message follows
 * EIP-4361 on EVM chains, and a similar format on Solana. A sign-in moves no money. It proves that the caller is the
 * payer when a public payment can no longer prove this.
 */
import base58 from "bs58";
import { hashMessage, verifyMessage } from "viem/utils";
import * as z from "zod";
import { EVIDENCE_TIMEOUT_MS, type RpcUrls, word } from "../chain/chain.ts";
import { rpcClient } from "../chain/rpc.ts";
import { PaymentError } from "../wire/errors.ts";
import { isSolana, type Network } from "../wire/networks.ts";
import { isSolanaAddress } from "../wire/solanaTransaction.ts";

/** Maximum age of a signed message, in milliseconds. */
const MAX_AGE_MS = 300_000;
/** Tolerated difference between the clocks of the signer and the Worker, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;
const MAX_LENGTH = 8192;

/** Text without line breaks. A line break would let the text of one message look like that of another message. */
const line = z.string().regex(/^[^\r\n]*$/, "must be one line");
const time = z.iso.datetime({ offset: true });

const message = z.object({
  domain: line,
  statement: line.optional(),
  uri: line,
  version: z.literal("1"),
  nonce: z.string().regex(/^[0-9a-zA-Z]{8,128}$/),
  issuedAt: time,
  expirationTime: time.optional(),
  notBefore: time.optional(),
  requestId: line.optional(),
  resources: z.array(line).optional(),
});
const evm = {
  type: z.literal("eip191"),
  chainId: z.string().regex(/^eip155:\d+$/),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/),
};
const solana = {
  type: z.literal("ed25519"),
  chainId: z.string().regex(/^solana:\w+$/),
  address: z.string().refine(isSolanaAddress, "must be the base58 of 32 bytes"),
  signature: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, "must be the base58 of 64 bytes"),
};
const signedMessage = z.discriminatedUnion("type", [message.extend(evm), message.extend(solana)]);
type SignedMessage = z.output<typeof signedMessage>;

/** The resource, the networks and the time (Unix milliseconds) of a sign-in. */
export interface SignInTerms {
  /** The URL of the requested resource. */
  url: URL;
  networks: readonly Network[];
  rpcUrls: RpcUrls;
  now: number;
}

/** The payer who has signed in. */
export interface SignedIn {
  address: string;
  /**
   * CAIP-2 chain of a contract wallet. Undefined for other accounts. The wallet's address may belong to someone else on
   * another chain.
   */
  onlyOn: string | undefined;
}

/** Returns the x402 extension for a 402: the message to sign, and the supported chains. */
export function signInExtension({ url, networks, now }: SignInTerms) {
  const dated = (ms: number) => new Date(ms).toISOString();
  return {
    "sign-in-with-x": {
      info: {
        domain: url.host,
        uri: url.origin + url.pathname,
        version: "1",
        nonce: crypto.randomUUID().replaceAll("-", ""),
        issuedAt: dated(now),
        expirationTime: dated(now + MAX_AGE_MS),
      },
      supportedChains: networks.map((network) => ({
        chainId: network.caip2,
        type: isSolana(network) ? "ed25519" : "eip191",
      })),
      schema: z.toJSONSchema(signedMessage),
    },
  };
}

/**
 * Returns the payer who has signed in.
 * @param header value of the header `SIGN-IN-WITH-X`: base64 of JSON
 * @throws PaymentError sign_in_refused, with the reason
 */
export async function signedInBy(header: string, { url, networks, rpcUrls, now }: SignInTerms): Promise<SignedIn> {
  const message = parse(header);
  const { domain, uri, issuedAt, expirationTime, notBefore, chainId, address } = message;
  const issued = Date.parse(issuedAt);
  const network = networks.find(({ caip2 }) => caip2 === chainId);
  if (domain !== url.host) throw refused(`the domain must be ${url.host}`);
  if (URL.parse(uri)?.origin !== url.origin) throw refused(`the uri must be on ${url.origin}`);
  if (now > issued + MAX_AGE_MS) throw refused(`the message is older than ${MAX_AGE_MS / 1000} s`);
  if (now < issued - CLOCK_SKEW_MS) throw refused("the issuedAt is in the future");
  if (expirationTime !== undefined && now >= Date.parse(expirationTime)) throw refused("the message has expired");
  if (notBefore !== undefined && now < Date.parse(notBefore)) throw refused("the message is not valid yet");
  if (!network) throw refused(`the chainId must be one of ${networks.map(({ caip2 }) => caip2).join(", ")}`);

  const text = textOf(message);
  if (message.type === "ed25519") {
    const isOwn = await isSignedOnSolana(address, text, message.signature).catch(() => false);
    if (isOwn) return { address, onlyOn: undefined };
    throw refused("the signature does not belong to the address");
  }
  const signature = message.signature as `0x${string}`;
  const own = verifyMessage({ address: address as `0x${string}`, message: text, signature });
  if (await own.catch(() => false)) return { address, onlyOn: undefined };
  const rpcUrl = rpcUrls[network.name];
  if (rpcUrl === undefined)
    throw refused(
      `the signature does not belong to the address, and this deployment cannot check contract wallets on ${chainId}`,
    );
  if (await acceptsSignature(address, hashMessage(text), signature, rpcUrl)) return { address, onlyOn: chainId };
  throw refused("the signature does not belong to the address");
}

function parse(header: string): SignedMessage {
  try {
    if (header.length > MAX_LENGTH) throw new Error("too long");
    const json = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(header)));
    const { success, data, error } = signedMessage.safeParse(json);
    if (success) return data;
    throw refused(`${error.issues[0]?.path.join(".")}: ${error.issues[0]?.message}`);
  } catch (error) {
    if (error instanceof PaymentError) throw error;
    throw refused(`the value must be base64 of a JSON object and have at most ${MAX_LENGTH} characters`);
  }
}

/** Returns the signed text (EIP-4361, "Message Format"; the x402 extension, "Message Construction"). */
function textOf(message: SignedMessage): string {
  const { domain, address, statement, resources } = message;
  const isEvm = message.type === "eip191";
  const fields: [string, string | undefined][] = [
    ["URI", message.uri],
    ["Version", message.version],
    ["Chain ID", message.chainId.replace(/^\w+:/, "")],
    ["Nonce", message.nonce],
    ["Issued At", message.issuedAt],
    ["Expiration Time", message.expirationTime],
    ["Not Before", message.notBefore],
    ["Request ID", message.requestId],
  ];
  return [
    `${domain} wants you to sign in with your ${isEvm ? "Ethereum" : "Solana"} account:`,
    address,
    "",
    ...(statement ? [statement, ""] : isEvm ? [""] : []),
    ...fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    ...(resources ? ["Resources:", ...resources.map((resource) => `- ${resource}`)] : []),
  ].join("\n");
}

async function isSignedOnSolana(address: string, text: string, signature: string): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", base58.decode(address), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, base58.decode(signature), new TextEncoder().encode(text));
}

/** Selector of `isValidSignature(bytes32,bytes)`, and its return value for a valid signature (ERC-1271). */
const IS_VALID_SIGNATURE = "0x1626ba7e";
/**
 * End of a signature of a wallet that may not be deployed yet (ERC-6492). A wallet that has paid is always deployed.
 */
const UNDEPLOYED = "6492".repeat(16);

/** Returns whether a contract wallet accepts a signature. Asks the wallet through a node of its chain. */
async function acceptsSignature(wallet: string, hash: string, signature: string, rpcUrl: string): Promise<boolean> {
  const bytes = signature.endsWith(UNDEPLOYED) ? innerSignature(signature) : signature.slice(2);
  const length = (bytes.length / 2).toString(16);
  const data = [IS_VALID_SIGNATURE, word(hash), word("0x40"), word(`0x${length}`), bytes].join("");
  const padding = "0".repeat((64 - (bytes.length % 64)) % 64);
  const call = rpcClient(rpcUrl, EVIDENCE_TIMEOUT_MS)(
    "eth_call",
    [{ to: wallet, data: data + padding }, "latest"],
    z.string(),
  );
  return (await call.catch(() => "")).startsWith(IS_VALID_SIGNATURE);
}

/**
 * Returns the inner signature of an ERC-6492 signature, as hexadecimal without 0x. It is the third ABI value, after the
 * factory and its call data.
 */
function innerSignature(signature: string): string {
  const body = signature.slice(2, -UNDEPLOYED.length);
  const numberAt = (at: number) => Number(`0x${body.slice(at, at + 64) || "0"}`);
  const at = numberAt(128) * 2;
  return body.slice(at + 64, at + 64 + numberAt(at) * 2);
}

function refused(why: string): PaymentError {
  return new PaymentError("sign_in_refused", `The SIGN-IN-WITH-X header was rejected: ${why}. Sign a new message.`);
}
