const CHUNK = 256 * 1024;

/**
 * A stream of the runtime's own (a response's, a stored object's) in chunks of 256 KB, each valid until the next is asked
 * for: the runtime itself would give out a few kilobytes at a time, in new memory each.
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
