const PIECE = 256 * 1024;

/**
 * A stream of the runtime's own (a response's, a stored object's) in pieces of 256 KB, each good until the next is asked for:
 * the runtime itself would give out a few kilobytes at a time, in new memory each.
 */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(PIECE);
  try {
    for (;;) {
      const { done, value } = await reader.readAtLeast(PIECE, new Uint8Array(buffer));
      if (value?.length) yield value;
      if (done || !value) return;
      buffer = value.buffer;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
