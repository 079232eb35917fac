/** The kinds of values that settings have. What is wrong with one is said in words, which never repeat it. */
import { isAddress } from "viem/utils";
import * as z from "zod";
import { isInOwnNetwork } from "../shared/net/localNames.ts";

/** An address on an EVM chain. One in mixed case carries a checksum (ERC-55), which finds most slips of the pen. */
export const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { error: "must be 0x and 40 hexadecimal digits", abort: true })
  .refine((address) => BigInt(address) > 0n, "must not be the address of nobody")
  .refine(
    (address) => /^0x([^A-F]*|[^a-f]*)$/.test(address) || isAddress(address),
    "is mistyped: its checksum is wrong",
  );

/** Several values in one setting, separated by commas. */
export const list = <T extends string>(item: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(item));

/** A switch. */
export const flag = z.stringbool("must be true or false");

/** A setting in JSON, as text or as TOML has it. */
export const inJson = <T extends z.ZodType>(schema: T) =>
  z.preprocess((given, context) => {
    try {
      return typeof given === "string" ? JSON.parse(given) : given;
    } catch {
      context.addIssue("must be well-formed JSON");
      return z.NEVER;
    }
  }, schema);

/** A number of things, in digits alone: `1e3` and `0x10` are more often slips than meant. */
export function count(fallback: number, max: number, min = 1) {
  const error = `must be a whole number from ${min} to ${max}, in digits alone`;
  return z
    .string(error)
    .regex(/^\d{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int(error).min(min, error).max(max, error))
    .default(fallback);
}

/**
 * An address that the service calls. In the clear it calls none but the operator's own hosts: others could read what is
 * sent, and make up what comes back.
 */
export const endpoint = checked((text) => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) return "must be an address that begins with https://";
  if (url.username || url.password) return "must not have a name or a password in it";
  if (url.hash) return "must not have a fragment (#)";
  if (url.protocol === "http:" && !isInOwnNetwork(url))
    return "must begin with https://, since its host is not one of your own network";
  return undefined;
});

/** The address of a facilitator, which `/verify`, `/settle` and `/supported` are put behind. */
export const facilitatorUrl = endpoint.check(
  z.refine((text) => !text.includes("?"), "must not have a query (?)"),
  z.refine(
    (text) => !/\/(verify|settle|supported)\/*$/.test(text),
    "must be the address that /verify and /settle are behind, without them",
  ),
);

/** What an `Authorization` header has (RFC 9110, 11.6.2): a scheme, and credentials. */
export const credentials = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+ +[\x21-\x7e][\x20-\x7e]*$/, 'must be a scheme and credentials, such as "Bearer …"');

/** An address that the pages link to. */
export const link = checked((text) => {
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) return "must be an address that begins with https://";
  return url.username || url.password ? "must not have a name or a password in it" : undefined;
});

/** A text, checked by a rule that says what is wrong with it. */
function checked(rule: (text: string) => string | undefined) {
  return z.string().check(({ value, issues }) => {
    const message = rule(value);
    if (message) issues.push({ code: "custom", message, input: value, continue: true }); // or a union hides it
  });
}
