import type { Config } from "../../settings/config.ts";

/** The media type of a form with files. */
export const FORM = "multipart/form-data";

/** The media type of a PDF that is the body by itself. */
export const PDF = "application/pdf";

/** Returns the media type of a request's body, in lower case and without its parameters. */
export function mediaTypeOf({ headers }: Request): string {
  return (headers.get("Content-Type") ?? "").split(";")[0]!.trim().toLowerCase();
}

/** Returns how many bytes the body of a request may have. */
export function maxBytesOf(request: Request, { maxBodyBytes, maxJsonBytes }: Config): number {
  return [FORM, PDF].includes(mediaTypeOf(request)) ? maxBodyBytes : maxJsonBytes;
}

/** Returns how many bytes the body of a request will have; undefined if it does not say so (RFC 9112, 6.3). */
export function announcedBytesOf({ headers }: Request): number | undefined {
  const length = headers.has("Transfer-Encoding") ? null : headers.get("Content-Length");
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}
