import { isSolana, type Network, TEST_NETWORKS } from "../payments/wire/networks.ts";
import { isCdp } from "./credentials.ts";
import { DEVELOPMENT_PAY_TO, publicAccount } from "./payTo.ts";
import type { Settings } from "./schema.ts";

/** Returns the problems of settings that are valid individually but not together. */
export function contradictionsOf(
  { PAY_TO, PAY_TO_SOLANA, FACILITATOR_URL = [], ...rest }: Settings,
  networks: Network[],
  maxTimeoutSeconds: number,
): string[] {
  const hasFacilitator = FACILITATOR_URL.length > 0;
  const payTo = PAY_TO?.toLowerCase();
  const isOwn = payTo !== undefined && payTo !== DEVELOPMENT_PAY_TO.toLowerCase();
  const baseUrls = FACILITATOR_URL.map((url) => url.replace(/\/+$/, ""));
  const { FACILITATOR_AUTHORIZATION = [], RPC_URL = [], CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = rest;
  const needsKey = (url: string, at: number) => isCdp(url) && !FACILITATOR_AUTHORIZATION[at];
  const account = publicAccount(PAY_TO);
  const sellsForMoney = networks.some(({ name }) => !TEST_NETWORKS.has(name));
  const rules: [boolean, string][] = [
    [hasFacilitator && isOwn && account !== undefined && sellsForMoney, account ?? ""],
    [
      hasFacilitator && !isOwn && !networks.every(isSolana),
      payTo === undefined ? "FACILITATOR_URL is set, so PAY_TO must be your own address" : (account ?? ""),
    ],
    [
      hasFacilitator && !PAY_TO_SOLANA && networks.some(isSolana),
      "NETWORKS contains Solana, so PAY_TO_SOLANA must be your own address",
    ],
    [
      networks.some(({ asset }) => asset.toLowerCase() === payTo),
      "PAY_TO is the token's contract. Set it to your own address",
    ],
    [
      networks.some(({ asset }) => asset === PAY_TO_SOLANA),
      "PAY_TO_SOLANA is the token's mint. Set it to your own wallet",
    ],
    [new Set(baseUrls).size < baseUrls.length, "FACILITATOR_URL contains the same address twice. Remove one"],
    [
      FACILITATOR_AUTHORIZATION.length > FACILITATOR_URL.length,
      "FACILITATOR_AUTHORIZATION has more entries than FACILITATOR_URL. Remove the additional ones",
    ],
    [!keyId !== !keySecret, "CDP_API_KEY_ID and CDP_API_KEY_SECRET belong together. Set both or neither"],
    [
      !(keyId && keySecret) && FACILITATOR_URL.some(needsKey),
      "FACILITATOR_URL contains a facilitator of CDP, so CDP_API_KEY_ID and CDP_API_KEY_SECRET must be set",
    ],
    [RPC_URL.length > networks.length, "RPC_URL has more entries than NETWORKS. Remove the additional ones"],
    [
      rest.FILE_HOST !== undefined && rest.ALLOWED_HOSTS?.includes(rest.FILE_HOST) === true,
      "FILE_HOST serves only files, so ALLOWED_HOSTS must not contain it",
    ],
    [
      rest.LINK_TTL_SECONDS < maxTimeoutSeconds,
      `LINK_TTL_SECONDS must be at least ${maxTimeoutSeconds}, the time that a payment may take to settle with these FETCH_TIMEOUT_SECONDS and FACILITATOR_TIMEOUT_SECONDS`,
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}
