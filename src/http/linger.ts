import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "./environment.ts";

/** How long, and how much, of a body that nobody reads is still taken in and dropped: less where it may have no end. */
const LINGER = { ms: 2000, bytes: 100_000_000, bytesOfUnknown: 8_000_000 };
const PIECE = 16 * 1024;

/**
 * Drops what is left of a body once there is an answer. The runtime sends none while a body is neither read nor dropped,
 * and a connection closed while one is still coming is reset, which takes the answer with it (RFC 9112, 9.6): so a
 * refusal is sent at once, and ends when the body has, within limits.
 */
export const lingerOverBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { body, headers } = c.req.raw;
  if (!body || body.locked) return;
  const most = headers.has("Content-Length") ? LINGER.bytes : LINGER.bytesOfUnknown;
  const task = (work: Promise<void>) => c.executionCtx.waitUntil(work.catch(() => undefined)); // the client has gone
  if (c.res.status < 400 || !c.res.body) return task(drop(body, most, scheduler.wait(LINGER.ms)));
  const answer = await c.res.bytes();
  const { readable, writable } = new FixedLengthStream(answer.length);
  task(send(answer, writable, body, most));
  c.res = new Response(readable, c.res);
};

async function send(
  answer: Uint8Array,
  writable: WritableStream,
  body: ReadableStream<Uint8Array>,
  most: number,
): Promise<void> {
  const writer = writable.getWriter();
  const written = writer.write(answer);
  const late = scheduler.wait(LINGER.ms);
  await drop(body, most, late).catch(() => undefined); // the body broke off
  await Promise.race([written.then(() => writer.close()), late]); // a client that reads nothing keeps nothing waiting
}

async function drop(body: ReadableStream<Uint8Array>, most: number, late: Promise<void>): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  let piece = new Uint8Array(PIECE);
  for (let dropped = 0; dropped < most; ) {
    const read = await Promise.race([reader.readAtLeast(PIECE, piece), late]);
    if (!read?.value || read.done) break;
    dropped += read.value.length;
    piece = new Uint8Array(read.value.buffer);
  }
  void reader.cancel().catch(() => undefined);
}
