/** Writes minimal ICC profiles: gray and three-component matrix profiles (ICC.1:2001-04, 6.3.1). */

const HEADER_LENGTH = 128;
const DIRECTORY_ENTRY_LENGTH = 12;
const VERSION = 0x02400000;

/** White point D50 of the profile connection space as X, Y and Z. */
export const D50: [number, number, number] = [0.9642, 1, 0.8249];

/** Returns a display profile with the required tags and `tags`. */
export function displayProfile(
  space: "GRAY" | "RGB ",
  description: string,
  tags: Readonly<Record<string, Uint8Array>>,
): Uint8Array {
  const entries = Object.entries({
    desc: descriptionTag(description),
    cprt: textTag("text", 8, "No copyright"),
    wtpt: xyzTag(D50),
    ...tags,
  });
  const directoryLength = 4 + entries.length * DIRECTORY_ENTRY_LENGTH;
  const length = entries.reduce((sum, [, data]) => sum + data.length, HEADER_LENGTH + directoryLength);

  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8, VERSION);
  putText(bytes, 12, `mntr${space}XYZ `);
  putText(bytes, 36, "acsp");
  putFixed(view, 68, D50);

  view.setUint32(HEADER_LENGTH, entries.length);
  let at = HEADER_LENGTH + directoryLength;
  for (const [i, [name, data]] of entries.entries()) {
    const entry = HEADER_LENGTH + 4 + i * DIRECTORY_ENTRY_LENGTH;
    putText(bytes, entry, name);
    view.setUint32(entry + 4, at);
    view.setUint32(entry + 8, data.length);
    bytes.set(data, at);
    at += data.length;
  }
  return bytes;
}

/** Returns a tag with a color's X, Y and Z (XYZType, 6.5.26). */
export function xyzTag(color: readonly number[]): Uint8Array {
  const bytes = textTag("XYZ ", 8, "", 12);
  putFixed(new DataView(bytes.buffer), 8, color);
  return bytes;
}

/** Returns a tag for a gamma curve, which raises a sample to the power of `exponent` (curveType, 6.5.3). */
export function curveTag(exponent: number): Uint8Array {
  const bytes = textTag("curv", 8, "", 8);
  new DataView(bytes.buffer).setUint32(8, 1);
  new DataView(bytes.buffer).setUint16(12, Math.round(exponent * 256));
  return bytes;
}

/** Returns a tag for a curve through `values` at equal steps from 0 to 1 (curveType, 6.5.3). */
export function sampledCurveTag(values: readonly number[]): Uint8Array {
  const bytes = textTag("curv", 8, "", 4 + values.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, values.length);
  for (const [i, value] of values.entries()) view.setUint16(12 + i * 2, Math.round(value * 0xffff));
  return bytes;
}

/**
 * Returns a tag with an ASCII description. The Unicode and Macintosh descriptions are empty (textDescriptionType,
 * 6.5.17).
 */
function descriptionTag(text: string): Uint8Array {
  const bytes = textTag("desc", 12, text, text.length + 1 + 78);
  new DataView(bytes.buffer).setUint32(8, text.length + 1);
  return bytes;
}

/**
 * Returns a tag of the given type with `text` in a field of `length` bytes at `start`. The tag is padded to a multiple
 * of 4 bytes.
 */
function textTag(type: string, start: number, text: string, length = text.length + 1): Uint8Array {
  const bytes = new Uint8Array((start + length + 3) & ~3);
  putText(bytes, 0, type);
  putText(bytes, start, text);
  return bytes;
}

function putText(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}

/** Writes numbers as s15Fixed16Number. */
function putFixed(view: DataView, at: number, values: readonly number[]): void {
  for (const [i, value] of values.entries()) view.setInt32(at + i * 4, Math.round(value * 0x10000));
}
