import { Problem } from "../shared/problems.ts";
import { type Pace, pacing } from "./pace.ts";
import { UPLOAD_FIRST } from "./upload.ts";

/** The first chunk is small, since most bodies are: a buffer is held while it is waited for. */
const FIRST_CHUNK = 4 * 1024;
const CHUNK = 64 * 1024;
/** Each chunk costs about 0.1 ms of CPU, whatever its length: what comes fast is read in longer ones. */
const LONG_CHUNK = 256 * 1024;
const FAST_MS = 50;

/**
 * Reads the body of a request in chunks of up to 64 KiB, or 256 where it comes fast, each valid until the next one is asked
 * for. The body has to keep a pace: one that stops, or drips, gives back the memory it holds.
 * @param refusals for a body that is no call's
 * @param hasRoom takes so many bytes of memory for the longer chunks, or returns false
 * @throws Problem body_timeout, body_too_large where it goes past `maxBytes`, or invalid_request where it breaks off
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
    else reader.releaseLock(); // what is left of a refused body: see `lingerOverBody`
  }
}

/** Create the errors of a body that breaks off, comes too slowly, or goes past its limit. */
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
    "The body came too slowly. Nothing was charged; send it again with the same payment, or a URL as `file` instead.",
  );
}

/** Its sender has gone, or has sent what is no HTTP: a caller who has only stopped sending is told. */
function brokenOff(cause: unknown): Problem {
  return new Problem(
    "invalid_request",
    "The body broke off before its end. Nothing was charged; send it again whole.",
    {
      cause,
    },
  );
}
