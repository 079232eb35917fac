import type { Handler } from "hono";
import { bucketOf } from "../storage/bucket.ts";
import { download } from "../storage/download.ts";
import { linkOf, revoke } from "../storage/link.ts";
import { isResultId } from "../storage/results.ts";
import type { ApiEnv } from "./environment.ts";

/** Sends the file of a download link. */
export const downloadFile: Handler<ApiEnv> = (c) => {
  const link = linkOf(c.req.url);
  if (isResultId(link.id)) c.var.facts.file = link.id;
  return download(bucketOf(c.env), link, c.req.raw, Date.now);
};

/** Revokes a download link and deletes its file. */
export const revokeLink: Handler<ApiEnv> = async (c) => {
  await revoke(bucketOf(c.env), linkOf(c.req.url), Date.now);
  return c.body(null, 204);
};
