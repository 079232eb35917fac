import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Config } from "../settings/config.ts";
import { isLoopback } from "../shared/net/loopback.ts";

/**
 * Rejects a request with a foreign Host header, or a browser's request with a foreign Origin. Without this check, a web
 * page could reach a server on this machine by DNS rebinding (MCP, streamable HTTP transport, "Security Warning").
 * @returns the 403, or undefined if the request is allowed
 */
export function refuseForeign(request: Request, config: Config): Response | undefined {
  const allowed = allowedFor(request, config);
  return hostHeaderValidationResponse(request, allowed) ?? originValidationResponse(request, allowed);
}

/**
 * Returns the host names allowed for a request:
 * - from this machine: the loopback names and ALLOWED_HOSTS
 * - from elsewhere, if ALLOWED_HOSTS is set: ALLOWED_HOSTS
 * - from elsewhere, if only a facilitator is set: the requested host, because a deployment with a facilitator is public
 * - from elsewhere, if neither is set: no host, because payments are then verified locally, for loopback callers only
 */
function allowedFor(request: Request, { allowedHosts, facilitators }: Config): string[] {
  if (isLoopback(request)) return [...localhostAllowedHostnames(), ...allowedHosts];
  if (allowedHosts.length > 0) return allowedHosts;
  return facilitators.length > 0 ? [new URL(request.url).hostname] : [];
}
