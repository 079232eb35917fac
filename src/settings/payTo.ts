/** Finds addresses in PAY_TO at which money would be lost. */

/**
 * Default PAY_TO for development: the address of the second well-known development key. It receives no money, because
 * only the local facilitator uses it.
 */
export const DEVELOPMENT_PAY_TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/**
 * Well-known addresses whose private keys are public: the first twelve digits of the ten accounts of Hardhat and Anvil,
 * in their order. Anyone can take their money.
 */
const PUBLIC_ACCOUNTS =
  "f39fd6e51aad 70997970c518 3c44cdddb6a9 90f79bf6eb2c 15d34aaf5426 9965507d1a55 976ea74026e7 14dc79964da2 23618e81e3f5 a0ee7a142d26".split(
    " ",
  );
/** Last digits of the burn address, to which tokens are sent to destroy them. No private key is known. */
const BURN_ADDRESS = /^0x0+dead$/i;

/**
 * Returns the problem with an address that is a test account or the burn address. Returns undefined for other
 * addresses.
 */
export function publicAccount(address = ""): string | undefined {
  if (BURN_ADDRESS.test(address)) return "PAY_TO is the burn address 0x…dEaD. Set it to your own address";
  const at = PUBLIC_ACCOUNTS.indexOf(address.slice(2, 14).toLowerCase());
  if (at < 0) return undefined;
  return `PAY_TO is test account ${at} of Hardhat and Anvil, whose private key is public. Set it to your own address`;
}
