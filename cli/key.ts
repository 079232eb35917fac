import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { DEVELOPMENT_KEY } from "../src/payments/facilitators/localFacilitator.ts";
import { isOfThisMachine } from "./deployment.ts";
import { misuse } from "./failure.ts";
import type { Io } from "./io.ts";
import { readSecretFile } from "./secretFile.ts";

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;

/**
 * Returns the account that pays: by the key in a file, else by `PRIVATE_KEY` in the environment, else, on this machine, by
 * the development key. A key is never an argument: those are seen by every process, and kept in the shell's history.
 * @throws Failure if there is none, or others can read its file. No message has the key.
 */
export function accountFor(url: URL, keyFile: string | undefined, { env }: Io): PrivateKeyAccount {
  if (keyFile !== undefined) return accountOf(keyIn(keyFile), "the file of --key-file");
  const { PRIVATE_KEY } = env;
  if (PRIVATE_KEY) return accountOf(PRIVATE_KEY, "PRIVATE_KEY");
  if (isOfThisMachine(url)) return developer();
  throw misuse(`a key is needed to pay ${url.host}: --key-file, or PRIVATE_KEY in the environment`);
}

/** Returns the account of the development key, which deployments take on loopback alone. */
export function developer(): PrivateKeyAccount {
  return privateKeyToAccount(DEVELOPMENT_KEY);
}

function keyIn(path: string): string {
  if (KEY.test(path)) throw misuse("--key-file is the path of a file with the key in it, never the key itself");
  return readSecretFile(path);
}

function accountOf(text: string, where: string): PrivateKeyAccount {
  const key = text.trim();
  try {
    if (KEY.test(key)) return privateKeyToAccount(`0x${key.slice(-64)}`);
  } catch {
    // out of the curve's range
  }
  throw misuse(`${where} has no private key in it: 0x and 64 hexadecimal digits`);
}
