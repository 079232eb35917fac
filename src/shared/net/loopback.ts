const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Returns whether a request was made on this machine: it names a loopback host (a page using DNS rebinding cannot do
 * this) and, if the runtime knows the peer, comes from a loopback address (another machine cannot do this).
 */
export function isLoopback(request: Request): boolean {
  if (!LOOPBACK_HOSTS.has(new URL(request.url).hostname)) return false;
  const peer = request.headers.get("CF-Connecting-IP");
  return peer === null || peer === "127.0.0.1" || peer === "::1" || peer === "::ffff:127.0.0.1";
}

/**
 * Returns whether a request comes from the developer on this machine, not from a web page open there. Any page can send
 * a POST here, but browsers then send its Origin.
 */
export function isDeveloper(request: Request): boolean {
  return isLoopback(request) && !request.headers.has("Origin");
}
