/**
 * Code point of the first digit placeholder. A digit placeholder is a character that stands for one digit of a page
 * number: placeholder 0 for the ones, placeholder 1 for the tens. The placeholders are noncharacters (Unicode, 23.7).
 * No font contains noncharacters, and the service rejects them in a caller's text.
 */
const FIRST = 0xfdd0;
/** Maximum number of digits of a page number. */
const MAX_DIGITS = 10;

/** Matches every digit placeholder in a text. */
export const DIGIT_PLACEHOLDERS = /[\ufdd0-\ufde3]/g;

/**
 * Returns the placeholders of a number with `digits` digits. A shorter page number drops the placeholders that it
 * does not need. The last `padded` placeholders are never dropped. They show zeros if the page number is shorter.
 */
export function digitPlaceholders(digits: number, padded = 0): string {
  const count = Math.max(digits, padded);
  return Array.from({ length: count }, (_, at) => {
    const place = count - 1 - at;
    return String.fromCharCode(FIRST + place + (place < padded ? MAX_DIGITS : 0));
  }).join("");
}

/** Returns whether a text begins with a digit placeholder. */
export function isDigitPlaceholder(text: string | undefined): boolean {
  return text !== undefined && text.search(DIGIT_PLACEHOLDERS) === 0;
}

/** Returns the digit of a page number for which a placeholder stands. Returns "0" if the number has no such digit. */
export function digitIn(placeholder: string, number: string): string {
  return number[number.length - 1 - ((placeholder.charCodeAt(0) - FIRST) % MAX_DIGITS)] ?? "0";
}

/** Removes the placeholders that a number with `digits` digits does not need. */
export function withDigits(text: string, digits: number): string {
  return text.replace(DIGIT_PLACEHOLDERS, (placeholder) => {
    const place = placeholder.charCodeAt(0) - FIRST;
    return place < MAX_DIGITS && place >= digits ? "" : placeholder;
  });
}

/**
 * Replaces each digit placeholder in a text by its digit of a page number. If no number is given, all digits are "0".
 */
export function withNumber(text: string, number = ""): string {
  return text.replace(DIGIT_PLACEHOLDERS, (placeholder) => digitIn(placeholder, number));
}
