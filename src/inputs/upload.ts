import type { ReceivedFile } from "./receivedFile.ts";

/** Advice for a caller whose file has no public URL, worded as the end of a sentence. */
export const UPLOAD_FIRST =
  "upload the file with the free tool request_upload (over HTTP: POST /v1/uploads) and send the returned handle upload:… instead";

/** A file that was uploaded with the request. */
export class Upload {
  readonly received: ReceivedFile;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;

  /** Name that the caller sent with the file. */
  readonly name: string | undefined;

  constructor(received: ReceivedFile, sha256: string, name?: string) {
    this.received = received;
    this.sha256 = sha256;
    this.name = name;
  }
}
