import { readImage } from "../../src/engine/images/picture.ts";
import { markWithImage } from "../../src/engine/marks/imageMark.ts";
import { MemorySource } from "../../src/engine/pdf/byteSource.ts";
import { openPdf } from "../../src/engine/pdf/document.ts";
import { planOutput } from "../../src/engine/pdf/outputPlan.ts";
import { imageRequest } from "../../src/schemas.ts";
import { joined } from "./bytes.ts";
import { pngOf } from "./png.ts";

export const MAGENTA = pngOf(8, 8, [255, 0, 255]);

/** Lays an opaque magenta square, a fifth of the page wide, in the lower right corner of every page. */
export async function stamp(source: Uint8Array, password?: string): Promise<Uint8Array<ArrayBuffer>> {
  const document = await openPdf(new MemorySource(source), { password, maxPages: 100_000 });
  const fields = { file: "data:", image: "data:", position: "bottom-right", scale: 0.2, opacity: 1 };
  markWithImage(document, imageRequest.parse(fields), await readImage(MAGENTA, { maxPixels: 100 }));
  const plan = await planOutput(document);
  const bytes = await joined(plan.chunks());
  if (bytes.length !== plan.length) throw new Error(`planned ${plan.length} bytes, wrote ${bytes.length}`);
  return bytes;
}
