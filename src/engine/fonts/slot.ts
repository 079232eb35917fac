/**
 * Code point of the first slot. A slot is a character that stands for one digit of a page number: slot 0 for the ones,
 * slot 1 for the tens. All digits have the same width. Slots are noncharacters (Unicode, 23.7). No font contains
 * noncharacters, and the service rejects them in a caller's text.
 */
const FIRST_SLOT = 0xfdd0;
/** Maximum number of digits of a page number. */
const MAX_DIGITS = 10;

/** Matches every slot in a text. */
export const SLOTS = /[\ufdd0-\ufde3]/g;

/**
 * Returns the slots of a number with `digits` digits. A shorter page number drops the slots that it does not need. The
 * last `padded` slots always remain and then show zeros.
 */
export function slotsOf(digits: number, padded = 0): string {
  const count = Math.max(digits, padded);
  return Array.from({ length: count }, (_, at) => {
    const place = count - 1 - at;
    return String.fromCharCode(FIRST_SLOT + place + (place < padded ? MAX_DIGITS : 0));
  }).join("");
}

/** Returns whether a text begins with a slot. */
export function isSlot(text: string | undefined): boolean {
  return text !== undefined && text.search(SLOTS) === 0;
}

/** Returns the digit of a page number that a slot shows. Returns "0" if the number has no digit for the slot. */
export function digitIn(slot: string, number: string): string {
  return number[number.length - 1 - ((slot.charCodeAt(0) - FIRST_SLOT) % MAX_DIGITS)] ?? "0";
}

/** Removes the slots that a number with `digits` digits does not need. */
export function withDigits(text: string, digits: number): string {
  return text.replace(SLOTS, (slot) => {
    const place = slot.charCodeAt(0) - FIRST_SLOT;
    return place < MAX_DIGITS && place >= digits ? "" : slot;
  });
}

/** Replaces each slot of a text by its digit of a page number. If no number is given, all digits are "0". */
export function withNumber(text: string, number = ""): string {
  return text.replace(SLOTS, (slot) => digitIn(slot, number));
}
