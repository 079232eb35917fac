import { Problem } from "../shared/problems.ts";
import { WORKER_POLICY } from "./policies.ts";

/** Matches file names to which the build has added a hash of the file's content. */
const NAMED_BY_CONTENT = /\/files\/[^/]+-[A-Z0-9]{8}\.\w+$/;

/**
 * Serves one of the Worker's static assets.
 * @throws Problem not_found
 */
export async function serveAsset(request: Request, assets: Fetcher): Promise<Response> {
  const found = await assets.fetch(request);
  if (!found.ok && found.status !== 304)
    throw new Problem("not_found", "This deployment has no such file. Check the address.");
  const { pathname } = new URL(request.url);
  const response = new Response(found.body, found);
  if (NAMED_BY_CONTENT.test(pathname)) response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  response.headers.set("Content-Security-Policy", WORKER_POLICY);
  return response;
}
