import type { Context, MiddlewareHandler } from "hono";
import { Problem } from "../shared/problems.ts";
import { READING_ASSETS } from "../site/document.tsx";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";

/** Returns whether the request arrived at the host that serves only files. */
export function isFileHost(c: Context<ApiEnv>): boolean {
  const { fileHost } = c.var;
  return fileHost !== undefined && new URL(c.req.url).host === fileHost;
}

/**
 * Separates callers' files from the API if a file host is configured. That host serves only files and the assets of its
 * error pages. Every other host serves no files.
 * @throws Problem not_found
 */
export const separateFiles: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.var.fileHost !== undefined) {
    const { path } = c.req;
    const files = path.startsWith(`${FILES}/`);
    if (files && !isFileHost(c))
      throw new Problem("not_found", "This host serves no files. Use the complete URL of the link.");
    if (!files && !READING_ASSETS.includes(path) && isFileHost(c))
      throw new Problem("not_found", "This host serves only result files. Call the API at its own host.");
  }
  await next();
};
