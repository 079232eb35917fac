import type { MiddlewareHandler } from "hono";
import { Problem } from "../problems.ts";
import { FILES } from "../storage/link.ts";
import type { ApiEnv } from "./environment.ts";

/**
 * Keeps callers' files on a host of their own, where one is set: it answers for files alone, and no other does.
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
