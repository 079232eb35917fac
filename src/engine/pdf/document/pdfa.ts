/** Reads the file's claim to be PDF/A (ISO 19005), and determines how marking affects the claim. */
import { decodeLatin1 } from "../../bytes.ts";
import { decodeStream } from "../objects/filters.ts";
import type { Objects } from "../objects/objects.ts";
import { readStream } from "../objects/streams.ts";
import { unlessUnreadable } from "../objects/unlessUnreadable.ts";
import { IN_FILE } from "../objects/xrefTable.ts";
import type { DefaultSpace } from "../pages/resources.ts";
import { type Dictionary, Reference } from "../syntax/values.ts";

/** A file's claim to conform to PDF/A. */
export interface Pdfa {
  /** Number of the part of ISO 19005 to which the file claims to conform. */
  readonly part: number;
  /** Number of components of the output intent's color profile; undefined if there is no profile. */
  readonly intent: number | undefined;
}

/**
 * Features of the mark that some parts of PDF/A and PDF/X forbid. "colors" stands for RGB and for colors with a
 * profile.
 */
export type Feature = "transparency" | "colors" | "device CMYK" | "ICC version 4";

/** Maximum number of XMP bytes that are read. */
const LONGEST_XMP = 1 << 20;

/**
 * Reads the claim to be PDF/A from the catalog's XMP metadata (ISO 19005-1, 6.7.11; ISO 19005-2, 6.6.4).
 * @returns undefined if there is no readable claim
 */
export async function readPdfa(objects: Objects, catalog: Dictionary, xmp: string): Promise<Pdfa | undefined> {
  const part = claimIn(xmp, "pdfa");
  if (part === undefined) return undefined;
  return unlessUnreadable(async () => ({
    part: Number(part),
    intent: await objects.run(() => intentOf(objects, catalog)),
  }));
}

/**
 * Returns whether the file may claim to be PDF/UA (ISO 14289-1, 5). The metadata of an encrypted file may be
 * unreadable, so every encrypted file with /MarkInfo counts.
 */
export function mayBePdfua({ cipher }: Objects, catalog: Dictionary, xmp: string): boolean {
  return catalog.has("MarkInfo") && (cipher !== undefined || claimIn(xmp, "pdfua") !== undefined);
}

/**
 * Returns the device color spaces that new objects may use, each given by its number of components (1 gray, 3 RGB, 4
 * CMYK). The conformance must allow the color space (ISO 19005-1, 6.2.3.3; ISO 19005-2, 6.2.4.3), and no page may
 * redefine it by a default color space. In PDF/A, the profile of the output intent determines the allowed color spaces.
 * Readers that apply the output intent show RGB values unchanged only if the intent's profile is RGB. Otherwise, they
 * convert the values.
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
 * Returns whether new objects may be transparent. PDF/A-1 forbids transparency (ISO 19005-1, 6.4). Other parts require
 * a color space for blending, which the output intent provides (ISO 19005-2, 6.2.10).
 */
export function allowsTransparency(pdfa: Pdfa | undefined): boolean {
  return !pdfa || (pdfa.part > 1 && pdfa.intent !== undefined);
}

/** Returns a notice for each feature of the new objects that breaks the claim to be PDF/A. */
export function pdfaNotices({ pdfa, uses }: { pdfa: Pdfa | undefined; uses: ReadonlySet<Feature> }): PdfaNotice[] {
  if (!pdfa) return [];
  const notices: PdfaNotice[] = [];
  if (uses.has("transparency") && !allowsTransparency(pdfa)) notices.push("pdfa-transparency");
  const isForeign = uses.has("device CMYK") && pdfa.intent !== 4;
  if (isForeign || (uses.has("ICC version 4") && pdfa.part === 1)) notices.push("pdfa-color");
  return notices;
}

/**
 * Returns the catalog's XMP packet as text. Removes zero bytes, so that ASCII characters in UTF-16 or UTF-32 become
 * plain ASCII. Returns an empty text for an encrypted file, and for unreadable or oversized metadata, because no page
 * depends on metadata.
 */
export async function readXmp(objects: Objects, catalog: Dictionary): Promise<string> {
  const { source, table, cipher } = objects;
  const reference = catalog.get("Metadata");
  const row = reference instanceof Reference ? table.liveRow(reference.num) : -1;
  if (cipher || row < 0 || table.kind(row) !== IN_FILE) return "";
  const read = () => {
    const { dict, data } = readStream(source, table.offset(row), (length) => objects.streamLength(length));
    const xmp = decodeStream(dict, data, source.meter);
    return decodeLatin1(xmp, 0, Math.min(xmp.length, LONGEST_XMP)).replaceAll("\0", "");
  };
  return (await unlessUnreadable(() => objects.run(read))) ?? "";
}

/**
 * The property that claims conformance to a standard: the namespace of its schema, its name, and the beginning of its
 * value.
 */
const CLAIMS = {
  pdfa: ["aiim.org/pdfa", "part", "\\d"],
  pdfua: ["aiim.org/pdfua", "part", "\\d"],
  pdfx: ["npes.org/pdfx", "GTS_PDFXVersion", "PDF/X"],
} as const;

/** Returns the claim to conform to a standard from an attribute or an element of XMP metadata. */
export function claimIn(xmp: string, standard: keyof typeof CLAIMS): string | undefined {
  const [schema, property, value] = CLAIMS[standard];
  const prefix = new RegExp(`xmlns:([\\w-]+)\\s*=\\s*["']http://www\\.${schema}/ns/id/["']`).exec(xmp)?.[1];
  if (prefix === undefined) return undefined;
  const claims = new RegExp(`[\\s<]([\\w-]+):${property}(?:\\s*=\\s*["']|(?:\\s[^<>]{0,99})?>)\\s*(${value})`, "g");
  for (const [, name, claim] of xmp.matchAll(claims)) if (name === prefix) return claim;
  return undefined;
}

/** Maximum number of output intents that are read. All PDF/A output intents of a file have the same profile. */
const MOST_INTENTS = 8;

/** Returns the number of components of the PDF/A output intent's profile (ISO 19005-1, 6.2.2). */
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
