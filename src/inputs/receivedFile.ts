import type { RangeReader } from "../engine/index.ts";
import type { LargeFileSlot } from "./largeFileSlot.ts";
import { type MemoryShare, SPARE_BYTES } from "./memory.ts";

/** A file that has been received completely. */
export class ReceivedFile {
  /** The bytes of a file in memory, or a reader of a stored file. */
  readonly content: Uint8Array | RangeReader;
  /** SHA-256 of the bytes in hexadecimal, if requested. For an upload in parts, the result of `identityOfParts`. */
  readonly sha256: string | undefined;
  /** Name of the file, if known. */
  readonly name: string | undefined;

  constructor(content: Uint8Array | RangeReader, sha256?: string, name?: string) {
    this.content = content;
    this.sha256 = sha256;
    this.name = name;
  }

  /** Reads at most `length` bytes from the beginning. */
  async head(length: number): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content.subarray(0, length);
    return this.content.read(0, Math.min(length, this.content.length));
  }

  /**
   * Returns all bytes. Reads a stored file into memory. If memory is short, first waits for the call's large-file slot.
   * @throws Problem too_busy
   */
  async whole(memory: MemoryShare, slot: LargeFileSlot): Promise<Uint8Array> {
    if (this.content instanceof Uint8Array) return this.content;
    if (!memory.take(this.content.length, SPARE_BYTES)) await slot.acquire();
    return this.content.read(0, this.content.length);
  }
}
