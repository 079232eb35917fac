import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Returns whether the client prefers HTML to JSON, as browsers do (RFC 9110, 12.5.1). */
export function prefersPage(c: Context): boolean {
  return accepted(c, ["application/json", "application/problem+json", "text/html"]) === "text/html";
}

/** Returns the media type in `types` that the Accept header prefers. The first type is the default and wins ties. */
export function accepted(c: Context, types: [string, ...string[]]): string {
  return accepts(c, { header: "Accept", supports: types, default: types[0] });
}

/** Sends a page with its Content-Security-Policy, isolated from the window that opened it. */
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
