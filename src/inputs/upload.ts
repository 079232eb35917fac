import type { Received } from "./receive.ts";

/** A file that came with the request. Where requests are compared, it counts by its bytes. */
export class Upload {
  readonly received: Received;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;

  constructor(received: Received, sha256: string) {
    this.received = received;
    this.sha256 = sha256;
  }

  toJSON(): { sha256: string } {
    return { sha256: this.sha256 };
  }
}
