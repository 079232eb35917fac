import { privateKeyToAccount } from "viem/accounts";
import { keccak256, stringToBytes } from "viem/utils";
import { DEVELOPMENT_KEY, TRANSFER_WITH_AUTHORIZATION } from "../../src/payments/facilitators/localFacilitator.ts";

/** The parameters of one challenge in `WWW-Authenticate`. */
export type Challenge = Record<"id" | "realm" | "method" | "intent" | "request" | "expires", string> & {
  digest?: string;
};

interface ChargeRequest {
  amount: string;
  currency: `0x${string}`;
  recipient: `0x${string}`;
  methodDetails: { chainId: number; credentialTypes: string[]; decimals: number };
}

/** The signed fields of an authorization in an MPP payload. */
export interface Authorization {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: `0x${string}`;
}

/** EIP-712 domains of USDC by chain id. MPP clients know these domains, because a challenge does not contain them. */
const DOMAINS: Record<number, { name: string; version: string }> = {
  8453: { name: "USD Coin", version: "2" },
  84532: { name: "USDC", version: "2" },
};

const encode = (value: unknown) =>
  new TextEncoder()
    .encode(typeof value === "string" ? value : JSON.stringify(value))
    .toBase64({ alphabet: "base64url", omitPadding: true });
const decode = (text: string): unknown =>
  JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));

/** Returns the challenges in the value of a `WWW-Authenticate` header (RFC 9110, 11.6.1). */
export function challengesIn(header: string | null): Challenge[] {
  return (header ?? "")
    .split(/(?:^|, )Payment /)
    .slice(1)
    .map((one) => Object.fromEntries([...one.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])));
}

/** Decodes the field `request` of a challenge. */
export const requestOf = ({ request }: Challenge) => decode(request) as ChargeRequest;

/** Decodes the value of a `Payment-Receipt` header. */
export const receiptIn = (header: string | null) => decode(header ?? "") as Record<string, unknown>;

/** Encodes a credential, or any other value, as the value of an `Authorization` header. */
export const authorizationOf = (value: unknown) => `Payment ${encode(value)}`;

/**
 * Answers a challenge by the rules of draft-evm-charge-01. Returns the JSON of the credential.
 * @param change fields of the authorization that differ from the challenge, under a valid signature
 */
export async function credentialFor(
  challenge: Challenge,
  change: Partial<Authorization> = {},
  key: `0x${string}` = DEVELOPMENT_KEY,
) {
  const account = privateKeyToAccount(key);
  const { amount, currency, recipient, methodDetails } = requestOf(challenge);
  const authorization: Authorization = {
    from: account.address,
    to: recipient,
    value: amount,
    validAfter: "0",
    validBefore: String(Math.floor(Date.parse(challenge.expires) / 1000)),
    nonce: keccak256(stringToBytes(challenge.id + challenge.realm)),
    ...change,
  };
  const { chainId } = methodDetails;
  const signature = await account.signTypedData({
    domain: { ...DOMAINS[chainId], chainId, verifyingContract: currency },
    types: { TransferWithAuthorization: TRANSFER_WITH_AUTHORIZATION },
    primaryType: "TransferWithAuthorization",
    message: {
      ...(authorization as Record<"from" | "to", `0x${string}`> & Authorization),
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
    },
  });
  return {
    challenge,
    payload: { type: "authorization", ...authorization, signature },
    source: `did:pkh:eip155:${chainId}:${account.address}`,
  };
}
