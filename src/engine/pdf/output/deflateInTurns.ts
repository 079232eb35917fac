/** Compresses long data without blocking the event loop. */
import { DeflateStream, deflate } from "#platform/zlib";
import { concat } from "../../bytes.ts";
import type { Meter } from "../source/meter.ts";

/** Maximum number of bytes to deflate between two yields to the event loop. */
const AT_ONCE = 2 << 20;
const STEP = 256 * 1024;

/**
 * Compresses parts into one zlib stream (RFC 1950). `length` is the total number of bytes. Yields to the event loop if
 * the parts are long.
 */
export async function deflateInTurns(parts: Iterable<Uint8Array>, length: number, meter: Meter): Promise<Uint8Array> {
  if (length <= AT_ONCE) return deflate(concat([...parts]));
  const stream = new DeflateStream({ level: 6, strategy: "default", chunkBytes: STEP });
  for (const part of parts) {
    for (let at = 0; at < part.length; at += STEP) {
      await stream.write(part.subarray(at, at + STEP));
      meter.charge("deflate", STEP);
      await meter.yieldIfDue();
    }
  }
  return concat(await stream.finish());
}
