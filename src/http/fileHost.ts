import type { MiddlewareHandler } from "hono";
import { Problem } from "../problems.ts";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";

/**
 * Separates callers' files from the API if a file host is configured: that host serves only files, and no other host
 * serves them.
 * @throws Problem not_found
 */
export const separateFiles: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { fileHost } = c.var.config;
  if (fileHost !== undefined) {
    const { host, pathname } = new URL(c.req.url);
    const files = pathname.startsWith(`${FILES}/`);
    if (files && host !== fileHost)
      throw new Problem("not_found", "This host serves no files. Use the whole URL of the link as it was given.");
    if (!files && host === fileHost) throw new Problem("not_found", "This host serves the files of links only.");
  }
  await next();
};
