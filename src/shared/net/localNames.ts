import ipaddr from "ipaddr.js";

/** Top-level names that resolve to something local to the machine or network that looks them up. */
export const LOCAL_NAMES: ReadonlySet<string> = new Set([
  "localhost", // RFC 6761, 6.3
  "local", // RFC 6762, 3; the next six are from its appendix G
  "intranet",
  "internal", // also reserved by ICANN for private use, and used by clouds for metadata
  "private",
  "corp",
  "home",
  "lan",
  "localdomain",
  "localdomain4", // of /etc/hosts, beside localhost4 and localhost6
  "localdomain6",
  "svc", // Kubernetes: service.namespace.svc, by the search path of each container
  "cluster", // the same, cut before `.local`
  "default", // service.default: the namespace that services have by themselves
  "consul", // service discovery by HashiCorp
  "nomad",
  "docker",
  "containers", // Podman: host.containers.internal, and its short form
  "lxd",
  "incus",
  "intra", // common in companies and in routers
  "localnet",
  "workgroup",
  "domain",
  "dhcp",
  "router",
  "arpa", // home.arpa (RFC 8375) and the reverse mapping of addresses; no files are served under it
]);

/** Ranges of addresses that no public host has, as ipaddr.js names them. */
const LOCAL_RANGES = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** Returns the address that a URL has in place of a host's name, if it has one. */
export function literalOf({ hostname }: URL): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const text = hostname.replace(/^\[|\]$|\.$/g, "");
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

/** Returns whether a URL's host can only be one of this machine's, or of the network that it is in. */
export function isInOwnNetwork(url: URL): boolean {
  const literal = literalOf(url);
  if (literal) return LOCAL_RANGES.has(literal.range());
  const labels = url.hostname.replace(/\.$/, "").split(".");
  return labels.length === 1 || LOCAL_NAMES.has(labels.at(-1)!);
}
