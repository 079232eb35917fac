/** Rewrites ICC profiles of version 4 as version 2. PDF 1.4, and therefore PDF/A-1, allows only version 2. */
import { displayProfile, sampledCurveTag } from "./iccWriter.ts";

const HEADER_LENGTH = 128;
const DIRECTORY_ENTRY_LENGTH = 12;
const MAX_TAGS = 100;
const CURVE_SAMPLES = 256;
/** Number of parameters of each kind of parametric curve. */
const PARAMETERS: readonly number[] = [1, 3, 4, 5, 7];

/**
 * Returns a version 2 profile of the same colors (ICC.1:2001-04, 6.3.1).
 * @returns undefined if the profile has lookup tables or four components, or if a primary or curve is unusable
 */
export function asVersion2(profile: Uint8Array, components: number): Uint8Array | undefined {
  const tags = readTags(profile);
  if (!tags || components === 4 || [...tags.keys()].some((name) => name.startsWith("A2B"))) return undefined;

  const wanted = components === 1 ? ["kTRC"] : ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"];
  const written: Record<string, Uint8Array> = {};
  for (const name of wanted) {
    const data = tags.get(name);
    const older = data && (name.endsWith("TRC") ? asSampledCurve(data) : data);
    if (!older) return undefined;
    written[name] = older;
  }
  return displayProfile(components === 1 ? "GRAY" : "RGB ", "As the image says", written);
}

/**
 * Returns a version 2 profile for the grays of an RGB profile, which are the colors with three equal components.
 * @returns undefined if the profile has lookup tables, or if its three curves are missing, unsupported or different
 */
export function asGray(profile: Uint8Array): Uint8Array | undefined {
  const tags = readTags(profile);
  if (!tags || [...tags.keys()].some((name) => name.startsWith("A2B"))) return undefined;
  const [red, green, blue] = ["rTRC", "gTRC", "bTRC"].map((name) => tags.get(name));
  const isSame = (other: Uint8Array | undefined) => other?.every((byte, i) => byte === red![i]);
  const curve = red && isSame(green) && isSame(blue) ? asSampledCurve(red) : undefined;
  return curve && displayProfile("GRAY", "As the image says", { kTRC: curve });
}

/**
 * Returns the data of each tag, padded to whole words, or undefined if the directory refers to bytes outside of the
 * profile.
 */
function readTags(profile: Uint8Array): Map<string, Uint8Array> | undefined {
  const view = viewOf(profile);
  if (profile.length < HEADER_LENGTH + 4) return undefined;
  const count = view.getUint32(HEADER_LENGTH);
  const tags = new Map<string, Uint8Array>();
  for (let i = 0, at = HEADER_LENGTH + 4; i < count; i++, at += DIRECTORY_ENTRY_LENGTH) {
    if (i > MAX_TAGS || at + DIRECTORY_ENTRY_LENGTH > profile.length) return undefined;
    const start = view.getUint32(at + 4);
    const end = start + view.getUint32(at + 8);
    if (end > profile.length) return undefined;
    const data = new Uint8Array((end - start + 3) & ~3);
    data.set(profile.subarray(start, end));
    tags.set(String.fromCharCode(...profile.subarray(at, at + 4)), data);
  }
  return tags;
}

/**
 * Returns a curve in the format of version 2. Parametric curves (ICC.1:2010, 10.16) are sampled. Returns undefined for
 * other kinds of curves.
 */
function asSampledCurve(data: Uint8Array): Uint8Array | undefined {
  const type = String.fromCharCode(...data.subarray(0, 4));
  if (type === "curv") return data;
  if (type !== "para" || data.length < 12) return undefined;

  const view = viewOf(data);
  const kind = view.getUint16(8);
  const parameters = Array.from({ length: (data.length - 12) >> 2 }, (_, i) => view.getInt32(12 + i * 4) / 0x10000);
  if (!(parameters.length >= PARAMETERS[kind]!)) return undefined;
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = parameters;
  const from = kind === 1 || kind === 2 ? -b / a : d;
  const [above, below] = kind === 2 ? [c, c] : [e, f];
  const slope = kind > 2 ? c : 0;
  const curve = (x: number) => (x >= from ? (a * x + b) ** g + above : slope * x + below);
  const samples = Array.from({ length: CURVE_SAMPLES }, (_, i) => curve(i / (CURVE_SAMPLES - 1)));
  return sampledCurveTag(samples.map((value) => Math.min(1, Math.max(0, value || 0))));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
