/**
 * Checks the color profiles of output intents (ISO 32000-2, 14.11.5). MuPDF converts the colors of a page to the profile
 * of the first output intent and back. If the profile maps black and white to one color, the page and its mark are blank.
 */
import { EngineError } from "../../errors.ts";
import { decodeStream } from "../objects/filters.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";
import { hasContrast } from "./profileContrast.ts";

/** Maximum number of output intents that are checked. */
const MOST_INTENTS = 8;

/**
 * Checks that the profiles of the catalog's output intents distinguish black from white.
 * @throws EngineError damaged_pdf if a profile maps both to nearly the same color
 */
export async function checkOutputIntents(objects: Objects, catalog: Dictionary): Promise<void> {
  if (!catalog.has("OutputIntents") || (await haveContrast(objects, catalog))) return;
  throw new EngineError(
    "damaged_pdf",
    "The color profile of the PDF's output intent maps black and white to the same color. Print the PDF to a new PDF and send that.",
  );
}

/**
 * Returns whether each profile distinguishes black from white. Accepts an unreadable profile, because readers ignore
 * it.
 */
async function haveContrast(objects: Objects, catalog: Dictionary): Promise<boolean> {
  const checked = new Set<number>();
  try {
    const intents = await objects.run(() => objects.resolve(catalog.get("OutputIntents")));
    for (const item of Array.isArray(intents) ? intents.slice(0, MOST_INTENTS) : []) {
      const reference = await objects.run(() => objects.dictionary(item)?.get("DestOutputProfile"));
      if (!(reference instanceof Reference) || checked.has(reference.num)) continue;
      checked.add(reference.num);
      const bytes = await objects.run(() => streamOf(objects, reference.num));
      if (bytes && !hasContrast(bytes)) return false;
    }
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof EngineError)) throw error;
  }
  return true;
}

/** Returns the decoded data of a stream; undefined if the object does not exist or is inside an object stream. */
function streamOf(objects: Objects, num: number): Uint8Array | undefined {
  const { table, source, cipher } = objects;
  if (table.liveRow(num) < 0 || !table.isInFile(num)) return undefined;
  const { dict, data, gen } = readStream(source, table.offsetOf(num), (length) => objects.streamLength(length));
  return decodeStream(dict, cipher ? cipher.decryptStream(num, gen, data) : data, source.meter);
}
