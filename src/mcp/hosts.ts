import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Config } from "../config.ts";
import { isLoopback } from "../loopback.ts";

/**
 * Refuses a request whose Host, or a browser whose Origin, is not ours (MCP, "Security Warning" of the streamable HTTP
 * transport): a page that points its own name at this machine must not reach a server on it.
 */
export function refuseForeign(request: Request, config: Config): Response | undefined {
  const allowed = allowedFor(request, config);
  return hostHeaderValidationResponse(request, allowed) ?? originValidationResponse(request, allowed);
}

/**
 * - on this machine: the names of loopback, and those that ALLOWED_HOSTS lists
 * - elsewhere: those listed
 * - with none listed: the host that was called, where payments are real. Such a deployment is public, and a request reaches
 *   it by a host of its own. Where they are not, nothing is for sale beyond loopback.
 */
function allowedFor(request: Request, { allowedHosts, facilitators }: Config): string[] {
  if (isLoopback(request)) return [...localhostAllowedHostnames(), ...allowedHosts];
  if (allowedHosts.length > 0) return allowedHosts;
  return facilitators.length > 0 ? [new URL(request.url).hostname] : [];
}
