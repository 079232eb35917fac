import ipaddr from "ipaddr.js";
import * as z from "zod";
import { Problem } from "../problems.ts";

/** The answers that are final: there are such records, or none (RFC 1035, 4.1.1). */
const [NOERROR, NXDOMAIN] = [0, 3];

/** What DNS-over-HTTPS resolvers answer to `Accept: application/dns-json`, as far as it is needed. */
const dnsAnswer = z.object({
  Status: z.literal([NOERROR, NXDOMAIN]),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]),
});

/** Record types that carry an address, by name (RFC 1035, RFC 3596). */
const ADDRESS_TYPES = { A: 1, AAAA: 28 } as const;
/** Where IANA gives public IPv6 addresses from. ipaddr.js takes more for unicast, IPv4-compatible ::/96 among it. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
/** Public by its range, but each Azure machine's way to its host. */
const AZURE_HOST = "168.63.129.16";

/**
 * The rule a host breaks by where it leads: every address it has must be public. For runtimes that don't keep to public
 * addresses by themselves. It narrows the gap and can't close it: the runtime looks the name up once more when it
 * connects, and may be told another address then.
 * @param resolver URL of a DNS-over-HTTPS resolver that answers in JSON
 * @throws Problem source_unreachable where the host has no address or could not be looked up
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

/** Whether an address is one that the internet routes to. */
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
