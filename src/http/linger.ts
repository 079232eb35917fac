import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "./environment.ts";

/** How long, and how much, of a refused body is still taken in and dropped. */
const LINGER = { ms: 2000, bytes: 8_000_000 };

/**
 * Lets the sender of a refused body read the answer. A connection closed while a body is still coming is reset, and
 * takes the answer with it (RFC 9112, 9.6): so the answer is sent at once, and ends when the body has, within limits.
 */
export const lingerOnRefusal: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { body } = c.req.raw;
  if (c.res.status < 400 || !c.res.body || !body || body.locked) return;
  const answer = await c.res.bytes();
  const { readable, writable } = new FixedLengthStream(answer.length);
  c.executionCtx.waitUntil(send(answer, writable, body).catch(() => undefined)); // the client has gone
  c.res = new Response(readable, c.res);
};

async function send(answer: Uint8Array, writable: WritableStream, body: ReadableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter();
  const written = writer.write(answer);
  const late = scheduler.wait(LINGER.ms);
  await drop(body, late).catch(() => undefined); // the body broke off
  await Promise.race([written.then(() => writer.close()), late]); // a client that reads nothing keeps nothing waiting
}

async function drop(body: ReadableStream<Uint8Array>, late: Promise<void>): Promise<void> {
  const reader = body.getReader();
  for (let dropped = 0; dropped < LINGER.bytes; ) {
    const read = await Promise.race([reader.read(), late]);
    if (!read?.value) break;
    dropped += read.value.length;
  }
  void reader.cancel().catch(() => undefined);
}
