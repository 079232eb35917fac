import type { ByteRange } from "./conditions.ts";

/**
 * What results, uploads and the spool need of an object store, and no more. R2 has it as it is; an adapter of another
 * store has to behave like it, which `test/storage/bucket.test.ts` checks.
 */
export interface Bucket {
  head(key: string): Promise<StoredObject | null>;
  /**
   * Returns an object or a range of it; null if there is none, an object without `body` if it has another etag than
   * `onlyIf` says.
   */
  get(key: string, options: { range?: ByteRange }): Promise<OpenedObject | null>;
  get(
    key: string,
    options: { range?: ByteRange; onlyIf: { etagMatches: string } },
  ): Promise<OpenedObject | StoredObject | null>;
  /** Stores an object in place of what was there. A stream's length is known (`FixedLengthStream`); null is empty. */
  put(key: string, value: ReadableStream<Uint8Array> | string | null, options: Metadata): Promise<StoredObject>;
  /** Stores nothing, and returns null, if what is there has another etag, or nothing is. */
  put(
    key: string,
    value: string,
    options: Metadata & { onlyIf: { etagMatches: string } },
  ): Promise<StoredObject | null>;
  /** Deletes at most 1,000 objects. One that is not there is no error. */
  delete(keys: string | string[]): Promise<void>;
  /** Lists the first keys with a prefix that come after `startAfter`, in the order of their bytes. */
  list(options: { prefix: string; startAfter: string; limit: number }): Promise<{
    objects: { key: string }[];
    /** Whether there are more. */
    truncated: boolean;
  }>;
  createMultipartUpload(key: string): Promise<MultipartUpload>;
}

export interface Metadata {
  httpMetadata?: { contentType?: string; contentDisposition?: string };
  customMetadata?: Record<string, string>;
}

/** An object without its bytes. */
export interface StoredObject extends Metadata {
  key: string;
  size: number;
  /** Another one for other bytes. */
  etag: string;
  /** The same as a header has it, in quotes. */
  httpEtag: string;
  uploaded: Date;
}

/** An object, or a range of it, to be read once. */
export interface OpenedObject extends StoredObject {
  body: ReadableStream<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  json(): Promise<unknown>;
}

/** An object being stored in parts, all of one size but the last, numbered from 1. It is there once completed. */
export interface MultipartUpload {
  /** Uploads a part, from a stream whose length is known. */
  uploadPart(partNumber: number, bytes: ReadableStream<Uint8Array>): Promise<UploadedPart>;
  complete(parts: UploadedPart[]): Promise<unknown>;
  abort(): Promise<void>;
}

export interface UploadedPart {
  partNumber: number;
  etag: string;
}
