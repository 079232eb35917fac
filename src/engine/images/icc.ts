/** Checks ICC profiles for use in a PDF (ISO 32000-2, 8.6.5.5). */

const HEADER_LENGTH = 128;
/** Maximum major version. ISO 32000-2 allows ICC.1:2010, which is version 4. */
const MAX_VERSION = 4;

const SPACES: Readonly<Record<number, string>> = { 1: "GRAY", 3: "RGB ", 4: "CMYK" };
const CLASSES: readonly string[] = ["scnr", "mntr", "prtr", "spac"];

/** Returns whether a profile is complete and of a class that a PDF may use for `components` components. */
export function isUsableProfile(profile: Uint8Array, components: number): boolean {
  if (profile.length < HEADER_LENGTH) return false;
  const text = (at: number) => String.fromCharCode(...profile.subarray(at, at + 4));
  const declaredLength = new DataView(profile.buffer, profile.byteOffset).getUint32(0);

  return (
    declaredLength >= HEADER_LENGTH &&
    declaredLength <= profile.length &&
    profile[8]! <= MAX_VERSION &&
    CLASSES.includes(text(12)) &&
    text(16) === SPACES[components] &&
    text(36) === "acsp"
  );
}
