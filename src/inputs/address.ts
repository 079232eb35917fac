import ipaddr from "ipaddr.js";
import { Problem } from "../problems.ts";

/** Those of http and https: a URL names no other. */
export const FETCH_PORTS = [80, 443] as const;

/** Names that never leave a local network (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp", ".home"];

/**
 * Checks that a URL a caller named may be fetched: public http(s) on its standard port, by name.
 * Checks the parsed URL, never the string: WHATWG parsing has already undone the odd spellings of addresses.
 * @throws Problem source_not_allowed saying which rule it breaks
 */
export function checkAddress(url: URL): void {
  const refuse = (rule: string) =>
    new Problem(
      "source_not_allowed",
      `The URL may not be fetched: ${rule}. Use a public http(s) URL, or send the file itself.`,
    );

  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse("only http and https are fetched");
  if (url.username || url.password) throw refuse("it carries credentials");
  if (url.port !== "") throw refuse(`only the standard ports ${FETCH_PORTS.join(" and ")} are fetched`);

  const host = url.hostname.replace(/\.$/, "").toLowerCase();
  if (ipaddr.isValid(host.replace(/^\[|\]$/g, ""))) throw refuse("it names an address instead of a host");
  if (!host.includes(".")) throw refuse("its host has no domain");
  if (LOCAL_SUFFIXES.some((suffix) => host.endsWith(suffix))) throw refuse("its host is local");
}
