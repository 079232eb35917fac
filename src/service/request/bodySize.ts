import type { Config } from "../../settings/config.ts";

/** The media type of a form with files. */
export const FORM = "multipart/form-data";

/** The media type of a PDF sent as the body. */
export const PDF = "application/pdf";

/** The media type of a form without files. */
export const TEXT_FORM = "application/x-www-form-urlencoded";

/**
 * Returns the media type of a request's body, in lower case and without its parameters. A file of unknown type
 * (application/octet-stream) counts as a PDF.
 */
export function mediaTypeOf({ headers }: Request): string {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
  return type === "application/octet-stream" ? PDF : type;
}

/** Returns the maximum number of bytes of a request's body. */
export function maxBytesOf(request: Request, { maxBodyBytes, maxJsonBytes }: Config): number {
  return [FORM, PDF].includes(mediaTypeOf(request)) ? maxBodyBytes : maxJsonBytes;
}

/**
 * Returns the announced length of a request's body in bytes. Returns undefined if the request does not announce a
 * length (RFC 9112, 6.3).
 */
export function announcedBytesOf({ headers }: Request): number | undefined {
  const length = headers.has("Transfer-Encoding") ? null : headers.get("Content-Length");
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}
