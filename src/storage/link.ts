import { Problem } from "../shared/problems.ts";
import type { Bucket, StoredObject } from "./objectStore.ts";
import { expiryOf, groupExpired, isResultId, resultKey } from "./results.ts";
import { tokenMatches } from "./token.ts";

/** The id and token in the URL of a result. */
export interface Link {
  id: string;
  token: string | undefined;
}

/** Path prefix of download links. */
export const FILES = "/v1/files";

/** Returns the URL of a download link on `origin`. */
export function urlOf(origin: string, { id, token }: { id: string; token: string }): string {
  return `${origin}${FILES}/${id}.pdf?token=${token}`;
}

/** Parses the URL of a download link, with or without `.pdf`. */
export function linkOf(url: string): Link {
  const { pathname, searchParams } = new URL(url);
  const id = pathname.slice(pathname.lastIndexOf("/") + 1).replace(/\.pdf$/, "");
  return { id, token: searchParams.get("token") ?? undefined };
}

/**
 * Returns the stored object of a link if the token is right, even if the link has expired.
 * @param read reads the object from the bucket
 * @param now returns the current time in Unix milliseconds
 * @throws Problem file_not_found, invalid_token; link_expired if the object is missing and may have been swept
 */
export async function objectAt(
  read: (key: string) => Promise<StoredObject | null>,
  { id, token }: Link,
  now: () => number,
): Promise<StoredObject> {
  const object = isResultId(id) ? await read(resultKey(id)) : null;
  if (!object) {
    if (isResultId(id) && groupExpired(id, now())) throw expired();
    throw new Problem("file_not_found", "No file has this URL. Use the URL exactly as the service returned it.");
  }
  if (token === undefined || !(await tokenMatches(token, object.customMetadata?.token ?? "")))
    throw new Problem(
      "invalid_token",
      "The `token` of the link is missing or wrong. Use the URL exactly as the service returned it.",
    );
  return object;
}

/**
 * Revokes a link and deletes its file. Has no effect if the link has already expired or been revoked.
 * @throws Problem any problem of {@link objectAt}
 */
export async function revoke(bucket: Bucket, link: Link, now: () => number): Promise<void> {
  await revokeObject(bucket, await objectAt((key) => bucket.head(key), link, now), now());
}

/**
 * Revokes the link of a result without its token, on behalf of the operator. Returns false if no working link has this
 * id.
 */
export async function takeDown(bucket: Bucket, id: string, now: number): Promise<boolean> {
  const object = isResultId(id) ? await bucket.head(resultKey(id)) : null;
  return object !== null && revokeObject(bucket, object, now);
}

async function revokeObject(bucket: Bucket, object: StoredObject, now: number): Promise<boolean> {
  const works = now < expiryOf(object);
  if (works) await bucket.put(object.key, null, { customMetadata: { ...object.customMetadata, expires: "0" } });
  return works;
}

/** Creates the Problem for a link that has expired or was revoked. */
export function expired(): Problem {
  return new Problem(
    "link_expired",
    "The link has expired or was revoked, and the file is deleted. Watermark the document again.",
  );
}
