import { watermark } from "../../src/engine/index.ts";
import { joined } from "./bytes.ts";
import { pngOf } from "./png.ts";

export const MAGENTA = pngOf(8, 8, [255, 0, 255]);

/** Puts an opaque magenta square into the lower right corner of every page. The square is a fifth of the page wide. */
export async function stamp(source: Uint8Array, password?: string): Promise<Uint8Array<ArrayBuffer>> {
  const mark = { image: MAGENTA, position: "bottom-right", scale: 0.2, opacity: 1 } as const;
  const plan = await watermark(source, mark, { password });
  const bytes = await joined(plan.chunks());
  if (bytes.length !== plan.length) throw new Error(`planned ${plan.length} bytes, wrote ${bytes.length}`);
  return bytes;
}
