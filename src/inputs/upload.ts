import type { ReceivedFile } from "./receivedFile.ts";

/** What to do with a file that has no public URL: the end of a sentence. */
export const UPLOAD_FIRST =
  "call the free tool request_upload (over HTTP: POST /v1/uploads), send the file there, and name it by the handle upload:… that you get";

/** A file that was uploaded with the request. */
export class Upload {
  readonly received: ReceivedFile;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;

  constructor(received: ReceivedFile, sha256: string) {
    this.received = received;
    this.sha256 = sha256;
  }
}
