import type { ReceivedFile } from "./receivedFile.ts";

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
