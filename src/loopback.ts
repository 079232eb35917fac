const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a request was made on this very machine: it names a loopback host (which a page rebinding its DNS name can't)
 * and, where the runtime knows the peer, comes from a loopback address (which another machine's can't).
 */
export function isLoopback(request: Request): boolean {
  if (!LOOPBACK_HOSTS.has(new URL(request.url).hostname)) return false;
  const peer = request.headers.get("CF-Connecting-IP");
  return peer === null || peer === "127.0.0.1" || peer === "::1" || peer === "::ffff:127.0.0.1";
}

/**
 * Whether a request comes from whoever works on this machine, and not from a web page open there: browsers say which page
 * sends a POST, and any page may send one here.
 */
export function isDeveloper(request: Request): boolean {
  return isLoopback(request) && !request.headers.has("Origin");
}
