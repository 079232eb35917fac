import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Whether whoever asks would rather see a page than JSON, as browsers that open an address do (RFC 9110, 12.5.1). */
export function prefersPage(c: Context): boolean {
  return accepted(c, ["application/json", "application/problem+json", "text/html"]) === "text/html";
}

/** Returns which of these media types the request would rather have; the first where it does not say, or all are alike. */
export function accepted(c: Context, types: [string, ...string[]]): string {
  return accepts(c, { header: "Accept", supports: types, default: types[0] });
}

/** Answers with a page, under its Content-Security-Policy and in a group of windows of its own. */
export function sendPage(
  c: Context,
  page: string | HtmlEscapedString | Promise<HtmlEscapedString>,
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
