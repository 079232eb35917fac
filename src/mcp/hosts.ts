import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Config } from "../settings/config.ts";
import { isLoopback } from "../shared/net/loopback.ts";

/**
 * Refuses a request with a foreign Host header, or from a browser with a foreign Origin (MCP, "Security Warning" of the
 * streamable HTTP transport): a web page that points its own name at this machine must not reach a server on it.
 * @returns the refusal; undefined if the request is allowed
 */
export function refuseForeign(request: Request, config: Config): Response | undefined {
  const allowed = allowedFor(request, config);
  return hostHeaderValidationResponse(request, allowed) ?? originValidationResponse(request, allowed);
}

/**
 * Returns the host names allowed for a request:
 * - on this machine: the loopback names and those in ALLOWED_HOSTS
 * - elsewhere: those in ALLOWED_HOSTS
 * - elsewhere, with none set: the requested host, if payments are real. Such a deployment is public and is reached by
 *   its own host name. Otherwise none: without a facilitator nothing is for sale beyond loopback.
 */
function allowedFor(request: Request, { allowedHosts, facilitators }: Config): string[] {
  if (isLoopback(request)) return [...localhostAllowedHostnames(), ...allowedHosts];
  if (allowedHosts.length > 0) return allowedHosts;
  return facilitators.length > 0 ? [new URL(request.url).hostname] : [];
}
