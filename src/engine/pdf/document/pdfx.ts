/** Reads whether a file is made for print (ISO 15930, and ISO 32000-2, 14.11.5). */
import { EngineError } from "../../errors.ts";
import type { Objects } from "../objects/objects.ts";
import { Malformed } from "../syntax/lexer.ts";
import type { Dictionary } from "../syntax/values.ts";
import { claimIn, type Feature } from "./pdfa.ts";

/** Facts that show whether a file is made for print. */
export interface Press {
  /** Whether the file claims to be PDF/X. */
  readonly isPdfx: boolean;
  /** Whether the file claims to be PDF/X, or an output intent has a CMYK profile. */
  readonly isForPrint: boolean;
  /** Whether the file claims to be PDF/X, and all profiles of its output intents are CMYK. */
  readonly takesCmyk: boolean;
}

const SCREEN: Press = { isPdfx: false, isForPrint: false, takesCmyk: false };

/**
 * Returns whether the mark breaks a claim to be PDF/X. A mark breaks the claim if it is transparent, or has colors
 * other than gray and the CMYK of the press. Most parts of PDF/X forbid transparency, RGB and profiles (ISO 15930-1, -3
 * and -4).
 */
export function breaksPdfx({ press, uses }: { press: Press; uses: ReadonlySet<Feature> }): boolean {
  if (!press.isPdfx) return false;
  return uses.has("transparency") || uses.has("colors") || (uses.has("device CMYK") && !press.takesCmyk);
}

/** Maximum number of output intents that are read. */
const MOST_INTENTS = 8;
const COLORS_OF_CMYK = 4;

/**
 * Reads the output intents and the claim to be PDF/X, which files make in the document information, in an output intent
 * or in the XMP metadata `xmp`. Unreadable data count as missing, because no page depends on them.
 */
export async function readPress(
  objects: Objects,
  trailer: Dictionary,
  catalog: Dictionary,
  xmp: string,
): Promise<Press> {
  try {
    const info = await objects.run(() => objects.dictionary(trailer.get("Info")));
    let isPdfx = info?.has("GTS_PDFXVersion") || claimIn(xmp, "pdfx") !== undefined;
    let [isCmyk, isOther] = [false, false];
    const intents = await objects.run(() => objects.resolve(catalog.get("OutputIntents")));
    for (const item of Array.isArray(intents) ? intents.slice(0, MOST_INTENTS) : []) {
      const intent = await objects.run(() => objects.dictionary(item));
      isPdfx ||= (await objects.run(() => objects.resolve(intent?.get("S")))) === "GTS_PDFX";
      const profile = await objects.run(() => objects.dictionary(intent?.get("DestOutputProfile")));
      const colors = profile?.get("N");
      isCmyk ||= colors === COLORS_OF_CMYK;
      isOther ||= colors !== undefined && colors !== COLORS_OF_CMYK;
    }
    return { isPdfx, isForPrint: isPdfx || isCmyk, takesCmyk: isPdfx && !isOther };
  } catch (error) {
    if (error instanceof Malformed || error instanceof EngineError) return SCREEN;
    throw error;
  }
}
