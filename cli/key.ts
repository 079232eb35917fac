import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { isOfThisMachine } from "../packages/client/http.ts";
import { DEVELOPMENT_KEY } from "../src/payments/facilitators/localFacilitator.ts";
import { misuse } from "./failure.ts";
import type { Io } from "./io.ts";
import { readSecretFile } from "./secretFile.ts";

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;

/**
 * Returns the account that pays. The private key comes from the key file, or else from `PRIVATE_KEY` in the
 * environment. For a deployment on this machine, the development key is the default. A key is never an argument,
 * because other processes can read arguments and shells store them in their history.
 * @throws Failure if no key is given, or if other users can read the key file. The message never contains the key.
 */
export function accountFor(url: URL, keyFile: string | undefined, { env }: Io): PrivateKeyAccount {
  if (keyFile !== undefined) return accountOf(keyIn(keyFile), "the file of --key-file");
  const { PRIVATE_KEY } = env;
  if (PRIVATE_KEY) return accountOf(PRIVATE_KEY, "PRIVATE_KEY");
  if (isOfThisMachine(url)) return developer();
  throw misuse(`a key is needed to pay ${url.host}: use --key-file, or PRIVATE_KEY in the environment`);
}

/** Returns the account of the development key, which deployments accept only on loopback. */
export function developer(): PrivateKeyAccount {
  return privateKeyToAccount(DEVELOPMENT_KEY);
}

function keyIn(path: string): string {
  if (KEY.test(path)) throw misuse("--key-file must be the path of a file that contains the key, never the key itself");
  return readSecretFile(path);
}

function accountOf(text: string, where: string): PrivateKeyAccount {
  const key = text.trim();
  try {
    if (KEY.test(key)) return privateKeyToAccount(`0x${key.slice(-64)}`);
  } catch {
    // the number is zero or too large for a private key of the curve secp256k1
  }
  throw misuse(`${where} contains no private key, which is 0x and 64 hexadecimal digits`);
}
