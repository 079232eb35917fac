import { LOCAL_NAMES, literalOf } from "../shared/net/localNames.ts";

/** The default ports of http and https. A URL may use only the default port of its scheme. */
export const FETCH_PORTS = [80, 443] as const;

/**
 * One label of a host name in DNS (RFC 1035, 2.3.4). The pattern also allows underscores, which real host names
 * contain. A punycode label consists of letters, digits and hyphens.
 */
const LABEL = /^[a-z0-9_-]{1,63}$/;
const MAX_HOST_LENGTH = 253;

/** Reserved top-level names. No public host has such a name (RFC 6761, 6; RFC 7686; RFC 9476). */
const RESERVED = new Set(["test", "example", "invalid", "onion", "alt"]);

/**
 * Returns the rule that a caller's URL violates, or undefined if the URL is allowed. The rule is a clause, which error
 * messages put after a colon. A URL is allowed if its scheme is http or https, it contains no user name or password,
 * its host is a public name, and its port is the scheme's default.
 *
 * Checks the parsed URL, never the string: WHATWG parsing has already normalized unusual spellings of addresses (octal,
 * decimal, full width) and names (circled letters, percent signs). Does not resolve the name, because Cloudflare
 * refuses to connect to private addresses. On other runtimes, {@link brokenDnsRule} checks the addresses.
 * @param allowLoopback whether URLs may name this machine's loopback, on any port; for development only
 */
export function brokenAddressRule(url: URL, allowLoopback: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "only http and https URLs are fetched";
  if (url.username || url.password) return "it carries credentials";
  if (allowLoopback && namesThisMachine(url)) return undefined;
  if (literalOf(url)) return "it names an IP address instead of a host";
  return brokenNameRule(url.hostname) ?? (url.port ? "only the standard ports 80 and 443 are allowed" : undefined);
}

/** Returns whether a URL names this machine: `localhost`, 127.0.0.0/8 or ::1, in any spelling. */
export function namesThisMachine(url: URL): boolean {
  return url.hostname === "localhost" || literalOf(url)?.range() === "loopback";
}

function brokenNameRule(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  const top = labels.at(-1)!;
  if (name.length > MAX_HOST_LENGTH || !labels.every((label) => LABEL.test(label))) return "its host name is malformed";
  if (LOCAL_NAMES.has(top)) return "its host is on a local network";
  if (labels.length === 1) return "its host name has no domain";
  if (RESERVED.has(top)) return "its top-level domain is reserved and never public";
  return undefined;
}
