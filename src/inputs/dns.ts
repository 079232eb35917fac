import ipaddr from "ipaddr.js";
import * as z from "zod";
import { Problem } from "../shared/problems.ts";

/** Response codes of a conclusive DNS answer: success (0), and no such name (3) (RFC 1035, 4.1.1). */
const [NOERROR, NXDOMAIN] = [0, 3];

/** The fields used from a DNS-over-HTTPS answer in JSON (`Accept: application/dns-json`). */
const dnsAnswer = z.object({
  Status: z.literal([NOERROR, NXDOMAIN]),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});

/** Numbers of the DNS record types that contain an address (RFC 1035, RFC 3596). */
const ADDRESS_TYPES = { A: 1, AAAA: 28 } as const;
/**
 * The block from which IANA assigns public IPv6 addresses. A separate check of this block is needed because ipaddr.js
 * also classifies other addresses as unicast, such as IPv4-compatible ones (::/96).
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
/** An address in a public range that leads to the physical host on every Azure machine. */
const AZURE_HOST = "168.63.129.16";

/**
 * Resolves a host and returns the rule that its addresses violate, or undefined if all of them are public. This check
 * is for runtimes that connect to private addresses. The check does not fully prevent such a connection: the runtime
 * resolves the name again when it connects, and may get another address.
 * @param resolver URL of a DNS-over-HTTPS resolver that answers in JSON
 * @throws Problem source_unreachable if the host has no address or the lookup fails
 * @throws DOMException `signal.reason`, if the signal is aborted
 */
export async function brokenDnsRule(host: string, resolver: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await Promise.all([
    addressesOf(host, "A", resolver, signal),
    addressesOf(host, "AAAA", resolver, signal),
  ]);
  const addresses = found.flat();
  if (addresses.length === 0)
    throw new Problem("source_unreachable", "The host of the URL has no IP address. Check its spelling.");
  return addresses.every(isPublic) ? undefined : "its host resolves to an address that is not public";
}

/** Returns whether an address is public, that is, routed on the internet. `AZURE_HOST` counts as not public. */
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
    throw new Problem("source_unreachable", "The DNS lookup of the URL's host failed. Try again.", { cause });
  }
}
