const CHUNK = 256 * 1024;

/** Wraps each read of a stream, for example to limit the duration of the read. */
export type Watch = <T extends { value?: Uint8Array | undefined }>(read: Promise<T>) => Promise<T>;

/**
 * Reads a native stream (a response body or a stored object) in chunks of 256 KiB. All chunks share one buffer, so a
 * chunk is valid only until the next chunk is requested. The runtime's default chunks are only a few kilobytes long,
 * and each needs a new buffer.
 * @throws Error any error of `watch`
 */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  watch: Watch = (read) => read,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(CHUNK);
  try {
    for (;;) {
      const { done, value } = await watch(reader.readAtLeast(CHUNK, new Uint8Array(buffer)));
      if (value?.length) yield value;
      if (done || !value) return;
      buffer = value.buffer;
    }
  } finally {
    void reader.cancel().catch(() => undefined); // cancels the stream without waiting for the cancellation
  }
}
