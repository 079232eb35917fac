import ipaddr from "ipaddr.js";
import * as z from "zod";
import { Problem } from "../shared/problems.ts";

/** The response codes of a final answer: no error, or no such name (RFC 1035, 4.1.1). */
const [NOERROR, NXDOMAIN] = [0, 3];

/** The part used here of a DNS-over-HTTPS answer to `Accept: application/dns-json`. */
const dnsAnswer = z.object({
  Status: z.literal([NOERROR, NXDOMAIN]),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});

/** Types of the records that carry an address, by name (RFC 1035, RFC 3596). */
const ADDRESS_TYPES = { A: 1, AAAA: 28 } as const;
/**
 * The block that IANA assigns public IPv6 addresses from. ipaddr.js calls more addresses unicast, such as
 * IPv4-compatible ::/96.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
/** In a public range, but on every Azure machine it leads to the machine's host. */
const AZURE_HOST = "168.63.129.16";

/**
 * Returns the rule that a host breaks by the addresses it resolves to: all must be public. For runtimes that do not
 * refuse private addresses themselves. This narrows the gap but cannot close it: the runtime resolves the name again
 * when it connects, and may get another address.
 * @param resolver URL of a DNS-over-HTTPS resolver that answers in JSON
 * @throws Problem source_unreachable if the host has no address or the lookup fails
 * @throws DOMException the reason of `signal`, if it is aborted
 */
export async function brokenDnsRule(host: string, resolver: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await Promise.all([
    addressesOf(host, "A", resolver, signal),
    addressesOf(host, "AAAA", resolver, signal),
  ]);
  const addresses = found.flat();
  if (addresses.length === 0)
    throw new Problem("source_unreachable", "The URL's host has no address. Check its spelling.");
  return addresses.every(isPublic) ? undefined : "its host leads to an address that is not public";
}

/** Returns whether an address is routed on the public internet. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || parsed.toString() === AZURE_HOST) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

async function addressesOf(
  host: string,
  type: keyof typeof ADDRESS_TYPES,
  resolver: string,
  signal: AbortSignal,
): Promise<string[]> {
  const url = new URL(resolver);
  url.searchParams.set("name", host);
  url.searchParams.set("type", type);
  try {
    const response = await fetch(url, { headers: { Accept: "application/dns-json" }, redirect: "manual", signal });
    const { Answer } = dnsAnswer.parse(await response.json());
    return Answer.filter((record) => record.type === ADDRESS_TYPES[type]).map(({ data }) => data);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Problem("source_unreachable", "The URL's host could not be looked up. Try again.", { cause });
  }
}
