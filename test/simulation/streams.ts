/**
 * The streams of the Workers runtime, reduced to what the Worker uses: bytes only, with `readAtLeast`, and without
 * threads. Node's own streams would take half of a schedule's time and behave differently at the end of a stream.
 */

/** Returns the next bytes, or undefined at the end. */
type Pull = () => Promise<Uint8Array | undefined> | Uint8Array | undefined;

/** A byte stream that can be read once. The reader may provide its own buffer. */
export class ByteStream {
  locked = false;
  readonly #pull: Pull;
  readonly #onCancel: (reason: unknown) => void;
  /** Bytes pulled from the source but not read yet. */
  #rest: Uint8Array | undefined;
  #failure: { error: unknown } | undefined;
  #isOver = false;

  constructor(pull: Pull, onCancel: (reason: unknown) => void = () => {}) {
    this.#pull = pull;
    this.#onCancel = onCancel;
  }

  /** Creates a stream that contains the given bytes. */
  static of(bytes: Uint8Array): ByteStream {
    let left: Uint8Array | undefined = bytes.slice();
    return new ByteStream(() => {
      const chunk = left;
      left = undefined;
      return chunk;
    });
  }

  getReader() {
    if (this.locked) throw new TypeError("This ReadableStream is currently locked to a reader.");
    this.locked = true;
    return {
      read: async (view?: Uint8Array) => (view ? this.#fill(1, view) : this.#read()),
      readAtLeast: (min: number, view: Uint8Array) => this.#fill(min, view),
      cancel: (reason?: unknown) => this.cancel(reason),
      releaseLock: () => {
        this.locked = false;
      },
    };
  }

  async cancel(reason?: unknown): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onCancel(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, undefined> {
    const { read, cancel } = this.getReader();
    try {
      for (;;) {
        const { value, done } = await read();
        if (done) return;
        yield value!;
      }
    } finally {
      await cancel().catch(() => undefined);
    }
  }

  async #read(): Promise<{ done: boolean; value: Uint8Array | undefined }> {
    const value = await this.#next();
    this.#rest = undefined;
    return { done: value === undefined, value };
  }

  async #fill(min: number, view: Uint8Array): Promise<{ done: boolean; value: Uint8Array }> {
    const { byteOffset, length } = view;
    // like the runtime, detach the reader's buffer
    const into = new Uint8Array((view.buffer as ArrayBuffer).transfer(), byteOffset, length);
    let filled = 0;
    while (filled < Math.min(min, length)) {
      const chunk = await this.#next();
      if (!chunk) break;
      const taken = chunk.subarray(0, length - filled);
      into.set(taken, filled);
      filled += taken.length;
      this.#rest = taken.length < chunk.length ? chunk.subarray(taken.length) : undefined;
    }
    return { done: filled === 0 && length > 0, value: into.subarray(0, filled) };
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#failure) throw this.#failure.error;
    try {
      while (!this.#rest?.length && !this.#isOver) {
        this.#rest = await this.#pull();
        this.#isOver ||= this.#rest === undefined;
      }
      return this.#rest;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}

/** Passes on exactly `length` bytes. A write completes once the reader has read the chunk. */
export class FixedLengthStream {
  readonly readable: ByteStream;
  readonly writable = { getWriter: () => this };
  #left: number;
  #failure: { error: unknown } | undefined;
  #isClosed = false;
  #offered: { chunk: Uint8Array; taken: PromiseWithResolvers<void> } | undefined;
  #wake: () => void = () => {};

  constructor(length: number) {
    this.#left = length;
    this.readable = new ByteStream(
      async () => {
        while (!this.#offered && !this.#failure && !this.#isClosed) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        if (this.#failure) throw this.#failure.error;
        const chunk = this.#offered?.chunk;
        this.#offered?.taken.resolve();
        this.#offered = undefined;
        return chunk;
      },
      (reason) => this.#fail(reason),
    );
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    this.#left -= chunk.length;
    if (this.#left < 0) throw this.#fail(new TypeError("Attempt to write too many bytes through a FixedLengthStream."));
    if (chunk.length === 0) return;
    this.#offered = { chunk: chunk.slice(), taken: Promise.withResolvers() };
    this.#wake();
    return this.#offered.taken.promise;
  }

  async close(): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (this.#left > 0)
      throw this.#fail(new TypeError("FixedLengthStream did not see all expected bytes before close()."));
    this.#isClosed = true;
    this.#wake();
  }

  async abort(reason: unknown): Promise<void> {
    this.#fail(reason);
  }

  #fail(error: unknown): unknown {
    this.#failure ??= { error };
    this.#offered?.taken.reject(error);
    this.#wake();
    return error;
  }
}

/** Returns all bytes of a stream joined into one array. */
export async function joined(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks.length === 1 ? chunks[0]!.slice() : new Uint8Array(Buffer.concat(chunks));
}
