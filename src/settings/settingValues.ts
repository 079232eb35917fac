/** Schemas for the values of settings. Their error messages never repeat the value. */
import { isAddress } from "viem/utils";
import * as z from "zod";
import { blockProblem } from "../shared/net/blockList.ts";
import { isInOwnNetwork } from "../shared/net/localNames.ts";

/**
 * An address on an EVM chain. An address in mixed case contains a checksum (ERC-55), which detects most typing errors.
 */
export const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: "must be 0x and 40 hexadecimal digits", abort: true })
  .refine((address) => BigInt(address) > 0n, "must not be the zero address")
  .refine(
    (address) => /^0x([^A-F]*|[^a-f]*)$/.test(address) || isAddress(address),
    "the checksum is wrong. Copy the address again",
  );

/** Order of the curve secp256k1 (SEC 2, 2.4.1). */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A private key on the curve secp256k1. */
export const privateKey = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{64}$/, "must be a private key: 0x and 64 hexadecimal digits")
  .transform((key): `0x${string}` => `0x${key.slice(-64)}`)
  .refine((key) => BigInt(key) > 0n && BigInt(key) < CURVE_ORDER, "is outside the range of private keys (secp256k1)");

/** A list of values separated by commas. */
export const list = <T extends string>(item: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(item));

/** A boolean. */
export const flag = z.stringbool("must be true or false");

/** A JSON value, as text or as a TOML table. */
export const inJson = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given, context) => {
    try {
      return typeof given === "string" ? JSON.parse(given) : given;
    } catch {
      context.addIssue("must be well-formed JSON");
      return z.NEVER;
    }
  }, schema);

/** Returns the schema of an integer in decimal digits. Rejects `1e3` and `0x10`, because they are usually mistakes. */
export function count(defaultValue: number, max: number, min = 1) {
  const error = `must be a whole number from ${min} to ${max}, in decimal digits`;
  return z
    .string(error)
    .regex(/^\d{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int(error).min(min, error).max(max, error))
    .default(defaultValue);
}

/**
 * A URL that the service calls. Plain http is allowed only for hosts in the operator's own network. Elsewhere, third
 * parties could read requests and forge responses.
 */
export const endpoint = checked((text) => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) return "must be a URL that begins with https://";
  if (url.username || url.password) return "must not contain a user name or password";
  if (url.hash) return "must not have a fragment (#)";
  if (url.protocol === "http:" && !isInOwnNetwork(url))
    return "must begin with https://, because the host is not in your own network";
  return undefined;
});

/** The base URL of a facilitator. The service appends `/verify`, `/settle` and `/supported` to it. */
export const facilitatorUrl = endpoint.check(
  z.refine((text) => !text.includes("?"), "must not have a query (?)"),
  z.refine(
    (text) => !/\/(verify|settle|supported)\/*$/.test(text),
    "must be the base URL, without /verify, /settle or /supported",
  ),
);

/** An entry of the block list: an IP address, a network, a wallet or a host. */
export const blockedEntry = checked(blockProblem);

/** The value of an `Authorization` header (RFC 9110, 11.6.2): a scheme and credentials. */
export const credentials = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+ +[\x21-\x7e][\x20-\x7e]*$/, 'must be a scheme and credentials, such as "Bearer …"');

/** A URL that the pages link to. */
export const link = checked((text) => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) return "must be a URL that begins with https://";
  return url.username || url.password ? "must not contain a user name or password" : undefined;
});

/** Returns the schema of a text that satisfies `rule`. For an invalid text, `rule` returns the error message. */
function checked(rule: (text: string) => string | undefined) {
  return z.string().check(({ value, issues }) => {
    const message = rule(value);
    // without `continue`, a union schema would replace this message with a generic one
    if (message) issues.push({ code: "custom", message, input: value, continue: true });
  });
}
