import ipaddr from "ipaddr.js";

/** Those of http and https: a URL names no other. */
export const FETCH_PORTS = [80, 443] as const;

/** Every label of a name as DNS carries it (RFC 1035, 2.3.4), punycode and the underscores of real names included. */
const LABEL = /^[a-z0-9_-]{1,63}$/;
const MAX_HOST_LENGTH = 253;

/** Top-level names that mean something on the machine or network of whoever looks them up. */
const LOCAL = new Set([
  "localhost", // RFC 6761, 6.3
  "local", // RFC 6762, 3; the next six its appendix G
  "intranet",
  "internal", // also ICANN's own choice for private use, and where clouds keep their metadata
  "private",
  "corp",
  "home",
  "lan",
  "localdomain",
  "arpa", // home.arpa (RFC 8375) and the reverse mapping of addresses; nothing under it is a file
]);

/** Top-level names set aside so that nothing is ever found there (RFC 6761, 6; RFC 7686; RFC 9476). */
const RESERVED = new Set(["test", "example", "invalid", "onion", "alt"]);

/**
 * The rule that a URL a caller named breaks, in words that follow a colon; undefined where it may be fetched: public
 * http(s) on its standard port, by name. It looks at the parsed URL, never at the string: WHATWG parsing has already
 * undone odd spellings of addresses (octal, decimal, full width) and of names (circled letters, percent signs).
 * Where a public name leads is not seen here: the platform refuses private addresses, or else {@link brokenDnsRule}.
 * @param allowLoopback development: this machine's own loopback may be named, at any port
 */
export function brokenAddressRule(url: URL, allowLoopback: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "only http and https are fetched";
  if (url.username || url.password) return "it carries credentials";
  if (allowLoopback && namesThisMachine(url)) return undefined;
  if (literalOf(url)) return "it names an address instead of a host";
  return brokenNameRule(url.hostname) ?? (url.port ? "only the standard ports 80 and 443 are fetched" : undefined);
}

/** Whether a URL names this machine: `localhost`, 127.0.0.0/8 or ::1, however spelled. */
export function namesThisMachine(url: URL): boolean {
  return url.hostname === "localhost" || literalOf(url)?.range() === "loopback";
}

function brokenNameRule(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, "");
  const labels = name.split(".");
  const top = labels.at(-1)!;
  if (name.length > MAX_HOST_LENGTH || !labels.every((label) => LABEL.test(label)))
    return "its host is not a well-formed name";
  if (LOCAL.has(top)) return "its host is local";
  if (labels.length === 1) return "its host has no domain";
  if (RESERVED.has(top)) return "its host is under a name reserved for other uses";
  return undefined;
}

function literalOf({ hostname }: URL): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const text = hostname.replace(/^\[|\]$|\.$/g, "");
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}
