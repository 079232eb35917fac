/** Where things are in the simulation, and whose. */

export const ORIGIN = "https://api.example.com";
export const FACILITATOR = "https://facilitator.example.com";
/** The node of the chain. */
export const NODE = "https://node.example.com";
/** Files that callers name. */
export const FILES = "https://files.example.com/";

/** The address that all calls come from, as a header. */
export const CLIENT = { "CF-Connecting-IP": "192.0.2.1" };

/** Those who pay. */
export const PAYERS = [0, 1].map((number) => `0x${"11".repeat(19)}1${number}`);

/** What payments go to. */
export const PAY_TO = `0x${"aa".repeat(20)}`;
/** USDC on base-sepolia. */
export const ASSET = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
/** The accounts of the facilitator, which settles for us and for another service of the same seller, and of a stranger. */
export const SIGNER = `0x${"f0".repeat(20)}`;
export const STRANGER = `0x${"57".repeat(20)}`;
