const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Returns whether a request was made on this machine. The request must name a loopback host, which excludes web pages
 * that use DNS rebinding. If the runtime reports the peer's address, this address must also be a loopback address, which
 * excludes other machines.
 */
export function isLoopback(request: Request): boolean {
  if (!LOOPBACK_HOSTS.has(new URL(request.url).hostname)) return false;
  const peer = request.headers.get("CF-Connecting-IP");
  return peer === null || peer === "127.0.0.1" || peer === "::1" || peer === "::ffff:127.0.0.1";
}

/**
 * Returns whether a request comes from the developer on this machine, and not from a web page in the developer's
 * browser. Any web page can send a POST to this machine, but the browser then adds the page's Origin.
 */
export function isDeveloper(request: Request): boolean {
  return isLoopback(request) && !request.headers.has("Origin");
}
