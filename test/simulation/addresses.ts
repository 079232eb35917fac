/** The URLs, accounts and prices of the simulation. */

export const ORIGIN = "https://api.example.com";
export const FACILITATOR = "https://facilitator.example.com";
/** Origin of the URL of the blockchain node. */
export const NODE = "https://node.example.com";
/** Prefix of the URLs from which callers' files are served. */
export const FILES = "https://files.example.com/";

/** A request header with the IP address that all callers share. */
export const CLIENT = { "CF-Connecting-IP": "192.0.2.1" };

/** Accounts of the payers who pay without channels. */
export const PAYERS = [0, 1].map((number) => `0x${"11".repeat(19)}1${number}`);

/** Accounts of the payers who pay through payment channels. */
export const CHANNEL_PAYERS = [0, 1].map((number): `0x${string}` => `0x${"22".repeat(19)}2${number}`);

/** The seller's terms: the receiving account, and the price in atomic units of the token. */
export interface SellerTerms {
  payTo: string;
  amount: string;
}

/** The terms at the beginning of a schedule, and the terms of the operator's second deployment. */
export const TERMS: readonly [SellerTerms, SellerTerms] = [
  { payTo: `0x${"aa".repeat(20)}`, amount: "50000" },
  { payTo: `0x${"ab".repeat(20)}`, amount: "70000" },
];
/** Address of USDC on base-sepolia. */
export const ASSET = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
/**
 * Account from which the facilitator sends transactions. It also settles payments for another service of the same
 * seller.
 */
export const SIGNER = `0x${"f0".repeat(20)}`;
export const STRANGER = `0x${"57".repeat(20)}`;
