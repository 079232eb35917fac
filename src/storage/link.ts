import { Problem } from "../shared/problems.ts";
import type { Bucket, StoredObject } from "./objectStore.ts";
import { expiryOf, groupExpired, isResultId, resultKey } from "./results.ts";
import { tokenMatches } from "./token.ts";

/** The id and token in the URL of a result. */
export interface Link {
  id: string;
  token: string | undefined;
}

/** The path of links, on the host that serves files. */
export const FILES = "/v1/files";

/** Returns the URL of a link. */
export function urlOf(origin: string, { id, token }: { id: string; token: string }): string {
  return `${origin}${FILES}/${id}.pdf?token=${token}`;
}

/** Parses the URL of a link, with or without `.pdf`. */
export function linkOf(url: string): Link {
  const { pathname, searchParams } = new URL(url);
  const id = pathname.slice(pathname.lastIndexOf("/") + 1).replace(/\.pdf$/, "");
  return { id, token: searchParams.get("token") ?? undefined };
}

/**
 * Returns the object stored under a link if the token is right, even if the link has expired.
 * @param look asks the bucket for it
 * @param now returns the time, Unix milliseconds
 * @throws Problem file_not_found, invalid_token, or link_expired if the file may have been swept
 */
export async function objectAt(
  look: (key: string) => Promise<StoredObject | null>,
  { id, token }: Link,
  now: () => number,
): Promise<StoredObject> {
  const object = isResultId(id) ? await look(resultKey(id)) : null;
  if (!object) {
    if (isResultId(id) && groupExpired(id, now())) throw expired();
    throw new Problem("file_not_found", "No file has this address. Use the URL as it was given.");
  }
  if (token === undefined || !(await tokenMatches(token, object.customMetadata?.token ?? "")))
    throw new Problem(
      "invalid_token",
      "The `token` of the link is missing or wrong. Use the whole URL as it was given.",
    );
  return object;
}

/**
 * Ends a link before it expires; its file is deleted at once. Does nothing if the link has already ended.
 * @throws Problem as {@link objectAt}
 */
export async function endLink(bucket: Bucket, link: Link, now: () => number): Promise<void> {
  const object = await objectAt((key) => bucket.head(key), link, now);
  if (now() < expiryOf(object))
    await bucket.put(object.key, null, { customMetadata: { ...object.customMetadata, expires: "0" } });
}

/** Creates the Problem for a link that has expired or was ended. */
export function expired(): Problem {
  return new Problem(
    "link_expired",
    "The link has expired, or its holder has ended it, and its file is gone. Watermark the document again.",
  );
}
