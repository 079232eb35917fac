import type { Context, MiddlewareHandler } from "hono";
import { Problem } from "../shared/problems.ts";
import { READING_ASSETS } from "../site/document.tsx";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";

/** Whether a request came to the host that is there for files alone. */
export function isFileHost(c: Context<ApiEnv>): boolean {
  const { fileHost } = c.var;
  return fileHost !== undefined && new URL(c.req.url).host === fileHost;
}

/**
 * Separates callers' files from the API if a file host is configured: that host serves only files, and what its pages of
 * problems look like; no other host serves files.
 * @throws Problem not_found
 */
export const separateFiles: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.var.fileHost !== undefined) {
    const { path } = c.req;
    const files = path.startsWith(`${FILES}/`);
    if (files && !isFileHost(c))
      throw new Problem("not_found", "This host serves no files. Use the whole URL of the link as it was given.");
    if (!files && !READING_ASSETS.includes(path) && isFileHost(c))
      throw new Problem("not_found", "This host serves the files of links only.");
  }
  await next();
};
