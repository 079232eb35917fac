import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "./environment.ts";

/** Limits for draining an unread request body. A body of unknown length has a lower byte limit. */
const LINGER = { ms: 2000, bytes: 100_000_000, bytesWithoutLength: 8_000_000 };
const CHUNK_BYTES = 16 * 1024;

/**
 * Drains the unread rest of the request body after the handler has returned. The runtime sends no response while a body
 * is neither read nor canceled. If the server closes the connection during an upload, the client loses the response
 * (RFC 9112, 9.6). An error response therefore starts at once, but ends only after the body has ended or {@link LINGER}
 * is reached.
 */
export const lingerOverBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { body, headers } = c.req.raw;
  if (!body || body.locked) return;
  const maxBytes = headers.has("Content-Length") ? LINGER.bytes : LINGER.bytesWithoutLength;
  const inBackground = (work: Promise<void>) => c.executionCtx.waitUntil(work.catch(() => undefined));
  if (c.res.status < 400 || !c.res.body) return inBackground(drop(body, maxBytes, scheduler.wait(LINGER.ms)));
  const answer = await c.res.bytes();
  const { readable, writable } = new FixedLengthStream(answer.length);
  inBackground(send(answer, writable, body, maxBytes));
  c.res = new Response(readable, c.res);
};

async function send(
  answer: Uint8Array,
  writable: WritableStream,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<void> {
  const writer = writable.getWriter();
  const written = writer.write(answer);
  const deadline = scheduler.wait(LINGER.ms);
  await drop(body, maxBytes, deadline).catch(() => undefined); // draining fails if the client aborted the upload
  // A client that does not read the response must not block this task.
  await Promise.race([written.then(() => writer.close()), deadline]);
}

async function drop(body: ReadableStream<Uint8Array>, maxBytes: number, deadline: Promise<void>): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let buffer = new Uint8Array(CHUNK_BYTES);
  for (let dropped = 0; dropped < maxBytes; ) {
    const read = await Promise.race([reader.readAtLeast(CHUNK_BYTES, buffer), deadline]);
    if (!read?.value || read.done) break;
    dropped += read.value.length;
    buffer = new Uint8Array(read.value.buffer);
  }
  void reader.cancel().catch(() => undefined);
}
