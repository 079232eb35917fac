/** A file to read from. */
export class MemorySource {
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }
}
