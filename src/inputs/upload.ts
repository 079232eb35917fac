import type { ReceivedFile } from "./receive.ts";

/** A file that came with the request. */
export class Upload {
  readonly received: ReceivedFile;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;

  constructor(received: ReceivedFile, sha256: string) {
    this.received = received;
    this.sha256 = sha256;
  }
}
