const CHUNK = 256 * 1024;

/** Awaits each read of a stream. */
export type Watch = <T extends { value?: Uint8Array | undefined }>(read: Promise<T>) => Promise<T>;

/**
 * Reads a native stream (a response body, a stored object) in chunks of 256 KiB, each valid until the next call. The
 * runtime's own chunks would be a few kilobytes each, in newly allocated memory.
 * @throws Error what `watch` throws
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
    void reader.cancel().catch(() => undefined); // what is left is not waited for
  }
}
