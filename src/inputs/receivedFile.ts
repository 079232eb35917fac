import type { RangeReader } from "../engine/index.ts";
import type { LargeFileSlot } from "./largeFileSlot.ts";
import { type MemoryShare, SPARE_BYTES } from "./memory.ts";

/** A file that has been received completely. */
export class ReceivedFile {
  /** Its bytes, or a reader if it is stored elsewhere. */
  readonly content: Uint8Array | RangeReader;
  /** Of its bytes, in hexadecimal, if it was asked for. */
  readonly sha256: string | undefined;

  constructor(content: Uint8Array | RangeReader, sha256?: string) {
    this.content = content;
    this.sha256 = sha256;
  }

  /** Reads its first bytes, at most `length`. */
  async head(length: number): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content.subarray(0, length);
    return this.content.read(0, Math.min(length, this.content.length));
  }

  /**
   * Returns all of its bytes. A file that is stored is read back; where there is no room for it, under the call's slot.
   * @throws Problem too_busy
   */
  async whole(memory: MemoryShare, slot: LargeFileSlot): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content;
    if (!memory.take(this.content.length, SPARE_BYTES)) await slot.acquire();
    return this.content.read(0, this.content.length);
  }
}
