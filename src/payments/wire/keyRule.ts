/** Maximum length of an idempotency key. */
export const MAX_KEY_CHARACTERS = 255;
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`);
/** The rule for idempotency keys, as the end of a sentence. */
export const KEY_RULE = `must be 1 to ${MAX_KEY_CHARACTERS} printable ASCII characters`;

/** Returns whether a value is a valid idempotency key. */
export function isIdempotencyKey(sent: unknown): sent is string {
  return typeof sent === "string" && KEY.test(sent);
}
