import type { ByteRange } from "./conditions.ts";

/**
 * The subset of an object store that results, uploads and the spool need. R2 implements this interface directly. An
 * adapter for another store must behave like R2; `test/storage/bucket.test.ts` checks this.
 */
export interface Bucket {
  head(key: string): Promise<StoredObject | null>;
  /**
   * Returns an object or a range of it. Returns null if the key does not exist. Returns the object without `body` if
   * its etag differs from `onlyIf`.
   */
  get(key: string, options: { range?: ByteRange }): Promise<OpenedObject | null>;
  get(
    key: string,
    options: { range?: ByteRange; onlyIf: { etagMatches: string } },
  ): Promise<OpenedObject | StoredObject | null>;
  /**
   * Stores an object, replacing any previous one. A stream must have a known length (`FixedLengthStream`). The value
   * null stores an empty object.
   */
  put(key: string, value: ReadableStream<Uint8Array> | string | null, options: Metadata): Promise<StoredObject>;
  /** Replaces an object only if it exists with this etag. Otherwise stores nothing and returns null. */
  put(
    key: string,
    value: string,
    options: Metadata & { onlyIf: { etagMatches: string } },
  ): Promise<StoredObject | null>;
  /** Deletes at most 1,000 objects. A missing key is not an error. */
  delete(keys: string | string[]): Promise<void>;
  /** Lists the first `limit` keys that have the prefix and sort after `startAfter`, in byte order. */
  list(options: { prefix: string; startAfter: string; limit: number }): Promise<{
    objects: { key: string }[];
    /** Whether the listing was cut off, so that more keys follow. */
    truncated: boolean;
  }>;
  createMultipartUpload(key: string): Promise<MultipartUpload>;
  /** Returns a multipart upload by its id. Does not check whether the upload exists. */
  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload;
}

export interface Metadata {
  httpMetadata?: { contentType?: string; contentDisposition?: string };
  customMetadata?: Record<string, string>;
}

/** An object without its bytes. */
export interface StoredObject extends Metadata {
  key: string;
  size: number;
  /** Entity tag of the object. It changes whenever the bytes change. */
  etag: string;
  /** The etag as an HTTP header value, in quotes. */
  httpEtag: string;
  uploaded: Date;
}

/** An object, or a range of it. Its body can be read once. */
export interface OpenedObject extends StoredObject {
  body: ReadableStream<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  json(): Promise<unknown>;
}

/**
 * An object stored in parts, which are numbered from 1. All parts except the last have the same size. The object
 * becomes readable once the upload is completed.
 */
export interface MultipartUpload {
  readonly uploadId: string;
  /** Uploads a part from a stream of known length. */
  uploadPart(partNumber: number, bytes: ReadableStream<Uint8Array>): Promise<UploadedPart>;
  complete(parts: UploadedPart[]): Promise<unknown>;
  abort(): Promise<void>;
}

export interface UploadedPart {
  partNumber: number;
  etag: string;
}
