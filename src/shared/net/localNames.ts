import ipaddr from "ipaddr.js";

/** Top-level names that resolve to hosts on the local machine or network. */
export const LOCAL_NAMES: ReadonlySet<string> = new Set([
  "localhost", // reserved by RFC 6761, 6.3
  "local", // reserved by RFC 6762, 3; the next six names are from appendix G of RFC 6762
  "intranet",
  "internal", // ICANN has also reserved "internal" for private use; clouds use it for metadata
  "private",
  "corp",
  "home",
  "lan",
  "localdomain",
  "localdomain4", // /etc/hosts of some systems contains localhost4.localdomain4 and localhost6.localdomain6
  "localdomain6",
  "svc", // used by Kubernetes: service.namespace.svc, which the search path of each container resolves
  "cluster", // used by Kubernetes: service.namespace.svc.cluster
  "default", // used by Kubernetes: service.default, in the default namespace
  "consul", // used by Consul, the service discovery of HashiCorp
  "nomad",
  "docker",
  "containers", // used by Podman: host.containers.internal and its short form
  "lxd",
  "incus",
  "intra", // common in company networks and routers
  "localnet",
  "workgroup",
  "domain",
  "dhcp",
  "router",
  "arpa", // covers home.arpa (RFC 8375) and reverse DNS; no public host below arpa serves files
]);

/** Address ranges of non-public hosts, as ipaddr.js names them. */
const LOCAL_RANGES = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** Returns the IP address in a URL's host, or undefined if the host is a name. */
export function literalOf({ hostname }: URL): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const text = hostname.replace(/^\[|\]$|\.$/g, "");
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

/** Returns whether a URL's host can only be this machine or a host in its network. */
export function isInOwnNetwork(url: URL): boolean {
  const literal = literalOf(url);
  if (literal) return LOCAL_RANGES.has(literal.range());
  const labels = url.hostname.replace(/\.$/, "").split(".");
  return labels.length === 1 || LOCAL_NAMES.has(labels.at(-1)!);
}
