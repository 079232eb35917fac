const CHUNK = 256 * 1024;

/**
 * Reads a native stream (a response body, a stored object) in chunks of 256 KiB, each valid until the next call. The
 * runtime's own chunks would be a few kilobytes each, in newly allocated memory.
 */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(CHUNK);
  try {
    for (;;) {
      const { done, value } = await reader.readAtLeast(CHUNK, new Uint8Array(buffer));
      if (value?.length) yield value;
      if (done || !value) return;
      buffer = value.buffer;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
