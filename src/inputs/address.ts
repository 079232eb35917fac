import { LOCAL_NAMES, literalOf } from "../shared/net/localNames.ts";

/** The default ports of http and https. A URL may use only its scheme's default port. */
export const FETCH_PORTS = [80, 443] as const;

/**
 * One label of a host name as DNS carries it (RFC 1035, 2.3.4), including punycode and the underscores that real names
 * have.
 */
const LABEL = /^[a-z0-9_-]{1,63}$/;
const MAX_HOST_LENGTH = 253;

/** Top-level names reserved so that no public host exists under them (RFC 6761, 6; RFC 7686; RFC 9476). */
const RESERVED = new Set(["test", "example", "invalid", "onion", "alt"]);

/**
 * Returns the rule that a caller's URL breaks, worded to follow a colon, or undefined if it may be fetched: public
 * http(s), by host name, on the scheme's default port. Checks the parsed URL, never the string: WHATWG parsing has
 * already normalised odd spellings of addresses (octal, decimal, full width) and names (circled letters, percent
 * signs). It does not check where a public name resolves to: the platform refuses private addresses, or else
 * {@link brokenDnsRule} does.
 * @param allowLoopback development: URLs may name this machine's loopback, at any port
 */
export function brokenAddressRule(url: URL, allowLoopback: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "only http and https are fetched";
  if (url.username || url.password) return "it carries credentials";
  if (allowLoopback && namesThisMachine(url)) return undefined;
  if (literalOf(url)) return "it names an address instead of a host";
  return brokenNameRule(url.hostname) ?? (url.port ? "only the standard ports 80 and 443 are fetched" : undefined);
}

/** Returns whether a URL names this machine: `localhost`, 127.0.0.0/8 or ::1, in any spelling. */
export function namesThisMachine(url: URL): boolean {
  return url.hostname === "localhost" || literalOf(url)?.range() === "loopback";
}

function brokenNameRule(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  const top = labels.at(-1)!;
  if (name.length > MAX_HOST_LENGTH || !labels.every((label) => LABEL.test(label)))
    return "its host is not a well-formed name";
  if (LOCAL_NAMES.has(top)) return "its host is local";
  if (labels.length === 1) return "its host has no domain";
  if (RESERVED.has(top)) return "its host is under a name reserved for other uses";
  return undefined;
}
