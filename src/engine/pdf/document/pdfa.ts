/** Reads what a file says of itself as an archive: PDF/A (ISO 19005). */
import { decodeLatin1 } from "../../bytes.ts";
import { EngineError } from "../../errors.ts";
import { decodeStream } from "../objects/filters.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { IN_FILE } from "../objects/xrefTable.ts";
import type { DefaultSpace } from "../pages/resources.ts";
import { Malformed } from "../syntax/lexer.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";

/** A file's claim to conform to PDF/A. */
export interface Pdfa {
  /** The part of ISO 19005. */
  readonly part: number;
  /** Number of components of its output intent's profile; undefined without one. */
  readonly intent: number | undefined;
}

/** What PDF/A does not allow in every file. */
export type Feature = "transparency" | "device CMYK" | "ICC version 4";

/** XMP that is longer is read only so far. */
const LONGEST_XMP = 1 << 20;

/**
 * Reads the claim from the catalog's XMP metadata (ISO 19005-1, 6.7.11; ISO 19005-2, 6.6.4).
 * @returns undefined if there is none that can be read, or if the file is encrypted, which PDF/A forbids
 */
export async function readPdfa(objects: Objects, catalog: Dictionary): Promise<Pdfa | undefined> {
  if (objects.cipher) return undefined;
  try {
    const part = await objects.run(() => claimedPart(metadataOf(objects, catalog)));
    if (part === undefined) return undefined;
    // a step of its own: the metadata are not read again for each object that it misses
    return { part, intent: await objects.run(() => intentOf(objects, catalog)) };
  } catch (error) {
    // metadata that are too large are none: of the claim depends what the mark is made of, and no page
    if (error instanceof Malformed || error instanceof EngineError) return undefined;
    throw error;
  }
}

/**
 * Returns the numbers of components of the device colour spaces that new objects may use: those that the conformance
 * allows (ISO 19005-1, 6.2.3.3; ISO 19005-2, 6.2.4.3) and that no page replaces. In PDF/A they are those of the output
 * intent: readers that go by it show the values of an RGB intent as they are, and convert those of any other profile.
 */
export function usableDeviceColors(pdfa: Pdfa | undefined, defaults: ReadonlySet<DefaultSpace>): ReadonlySet<number> {
  const usable = new Set<number>();
  if (!defaults.has("DefaultGray") && (!pdfa || pdfa.intent !== undefined)) usable.add(1);
  if (!defaults.has("DefaultRGB") && (!pdfa || pdfa.intent === 3)) usable.add(3);
  if (!pdfa || pdfa.intent === 4) usable.add(4);
  return usable;
}

/** A way in which the output breaks the source's claim to PDF/A. */
export type PdfaNotice = "pdfa-transparency" | "pdfa-color";

/**
 * Returns whether new objects may be transparent. PDF/A-1 forbids it (ISO 19005-1, 6.4); other parts do on pages without
 * a colour space to blend in, which the output intent is (ISO 19005-2, 6.2.10).
 */
export function allowsTransparency(pdfa: Pdfa | undefined): boolean {
  return !pdfa || (pdfa.part > 1 && pdfa.intent !== undefined);
}

/** Returns how new objects break the claim. */
export function pdfaNotices({ pdfa, uses }: { pdfa: Pdfa | undefined; uses: ReadonlySet<Feature> }): PdfaNotice[] {
  if (!pdfa) return [];
  const notices: PdfaNotice[] = [];
  if (uses.has("transparency") && !allowsTransparency(pdfa)) notices.push("pdfa-transparency");
  const isForeign = uses.has("device CMYK") && pdfa.intent !== 4;
  if (isForeign || (uses.has("ICC version 4") && pdfa.part === 1)) notices.push("pdfa-color");
  return notices;
}

/** Returns the XMP packet as text. UTF-16 and UTF-32 are read as well: without zeros, what matters of them is ASCII. */
function metadataOf(objects: Objects, catalog: Dictionary): string {
  const { source, table } = objects;
  const reference = catalog.get("Metadata");
  const row = reference instanceof Reference ? table.liveRow(reference.num) : -1;
  if (row < 0 || table.kind(row) !== IN_FILE) return "";
  const { dict, data } = readStream(source, table.offset(row), (length) => objects.streamLength(length));
  const xmp = decodeStream(dict, data, source.meter);
  return decodeLatin1(xmp, 0, Math.min(xmp.length, LONGEST_XMP)).replaceAll("\0", "");
}

/** Returns the property `part`, an attribute or an element in the namespace of PDF/A's identification. */
function claimedPart(xmp: string): number | undefined {
  const prefix = /xmlns:([\w-]+)\s*=\s*["']http:\/\/www\.aiim\.org\/pdfa\/ns\/id\/["']/.exec(xmp)?.[1];
  if (prefix === undefined) return undefined;
  for (const [, name, part] of xmp.matchAll(/[\s<]([\w-]+):part\s*(?:=\s*["']|>)\s*(\d)/g))
    if (name === prefix) return Number(part);
  return undefined;
}

/** Most output intents that are looked at: of those that say PDF/A, all have the same profile. */
const MOST_INTENTS = 8;

/** Returns the components of the PDF/A output intent's profile (ISO 19005-1, 6.2.2). */
function intentOf(objects: Objects, catalog: Dictionary): number | undefined {
  const intents = objects.resolve(catalog.get("OutputIntents"));
  for (const item of Array.isArray(intents) ? intents.slice(0, MOST_INTENTS) : []) {
    const intent = objects.dictionary(item);
    if (intent && objects.resolve(intent.get("S")) === "GTS_PDFA1") {
      const components = objects.resolve(objects.dictionary(intent.get("DestOutputProfile"))?.get("N"));
      if (typeof components === "number") return components;
    }
  }
  return undefined;
}
