import { EngineError } from "../../src/engine/index.ts";
import { MemorySource } from "../../src/engine/pdf/byteSource.ts";
import { openPdf } from "../../src/engine/pdf/document.ts";
import { stamp } from "./stamp.ts";

/**
 * What must hold for any bytes at all: they are refused, or the result is a PDF with as
 * many pages. Anything else thrown is a defect.
 */
export async function stampsOrRefuses(source: Uint8Array): Promise<"stamped" | "refused"> {
  let output: Uint8Array;
  try {
    output = await stamp(source);
  } catch (error) {
    if (error instanceof EngineError) return "refused";
    throw error;
  }
  const pagesOf = async (pdf: Uint8Array) => (await openPdf(new MemorySource(pdf), { maxPages: 100_000 })).pages.length;
  const [before, after] = [await pagesOf(source), await pagesOf(output)];
  if (before !== after) throw new Error(`${before} pages became ${after}`);
  return "stamped";
}
