import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Whether whoever asks would rather see a page than JSON, as browsers that open an address do (RFC 9110, 12.5.1). */
export function prefersPage(c: Context): boolean {
  const supports = ["application/problem+json", "application/json", "text/html"];
  return accepts(c, { header: "Accept", supports, default: "application/json" }) === "text/html";
}

/** Answers with a page, under its Content-Security-Policy and in a group of windows of its own. */
export function sendPage(
  c: Context,
  page: HtmlEscapedString | Promise<HtmlEscapedString>,
  policy: string,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
) {
  return c.html(`<!doctype html>${page}`, status, {
    ...headers,
    "Content-Security-Policy": policy,
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}
