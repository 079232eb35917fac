import { Problem } from "../shared/problems.ts";
import { type Pace, pacing } from "./pace.ts";
import { UPLOAD_FIRST } from "./upload.ts";

/**
 * Length of the first chunk in bytes. The first chunk is small, because most bodies are small, and because its buffer
 * stays allocated while the Worker waits for the body.
 */
const FIRST_CHUNK = 4 * 1024;
const CHUNK = 64 * 1024;
/**
 * Length of a chunk of a fast body in bytes. Each read costs about 0.1 ms of CPU regardless of its length, so longer
 * chunks save CPU.
 */
const LONG_CHUNK = 256 * 1024;
const FAST_MS = 50;

/**
 * Reads a request body in chunks of up to 64 KiB, or up to 256 KiB if the body arrives fast. Each chunk is valid until
 * the next one is requested. Stops reading a body that stalls or falls below the minimum rate, to free its memory.
 * @param refusals error factories that replace the default ones, for bodies that are not part of a paid call
 * @param hasRoom reserves the given number of bytes for longer chunks; returns false if too little memory is free
 * @throws Problem body_timeout; body_too_large if the body exceeds `maxBytes`; invalid_request if it ends early
 */
export async function* readBody(
  body: ReadableStream<Uint8Array>,
  { pace, maxBytes }: { pace: Pace; maxBytes: number },
  refusals: Partial<Refusals> = {},
  hasRoom: (bytes: number) => boolean = () => false,
): AsyncGenerator<Uint8Array, undefined> {
  const refused = { ...REFUSALS, ...refusals };
  const reader = body.getReader({ mode: "byob" });
  const watch = pacing(pace, refused.tooSlow);
  let [length, size, isPending] = [0, FIRST_CHUNK, false];
  let buffer: ArrayBuffer | undefined;
  let isRoomy: boolean | undefined;
  try {
    for (;;) {
      isPending = true;
      const asked = Date.now();
      const into = buffer?.byteLength === size ? buffer : new ArrayBuffer(size);
      const read = reader.readAtLeast(size, new Uint8Array(into)).catch((error: unknown) => {
        throw refused.brokenOff(error);
      });
      const { done, value } = await watch(read);
      isPending = false;
      buffer = value?.buffer;
      length += value?.length ?? 0;
      const isFast = value?.length === size && size >= CHUNK && Date.now() - asked < FAST_MS;
      if (isFast) isRoomy ??= hasRoom(LONG_CHUNK);
      size = Math.min(4 * size, isFast && isRoomy ? LONG_CHUNK : CHUNK);
      if (length > maxBytes) throw refused.tooLarge(maxBytes);
      if (value?.length) yield value;
      if (done || !value) return;
    }
  } finally {
    if (isPending) void reader.cancel().catch(() => undefined);
    else reader.releaseLock(); // leaves the rest of a rejected body to `lingerOverBody`, which drains it
  }
}

/** Error factories for a body that ends early, arrives too slowly, or exceeds its limit. */
type Refusals = typeof REFUSALS;
const REFUSALS = { brokenOff, tooSlow, tooLarge: bodyTooLarge };

/** Creates the Problem for a body over its limit. */
export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(
    "body_too_large",
    `The request body is larger than ${maxBytes} bytes. Send a URL as \`file\` instead, or ${UPLOAD_FIRST}.`,
  );
}

function tooSlow(): Problem {
  return new Problem(
    "body_timeout",
    "The request body arrived too slowly. Nothing was charged. Send it again with the same payment, or send a URL as `file` instead.",
  );
}

/**
 * Creates the Problem for a body that ends early: the sender has disconnected or sent malformed HTTP. A caller that
 * only stopped sending can still read the response.
 */
function brokenOff(cause: unknown): Problem {
  return new Problem(
    "invalid_request",
    "The request body ended early. Nothing was charged. Send the complete body again.",
    {
      cause,
    },
  );
}
