/** Scripts that the fonts cover (ISO 15924), the most common first. */
export const SCRIPTS = (
  "Latn Hani Arab Cyrl Deva Hira Kana Hang Grek Hebr Beng Taml Telu Knda Mlym Gujr Guru Orya Sinh Thai Laoo Khmr Mymr Geor Armn Ethi Bopo " +
  "Tibt Thaa Mong Tfng Nkoo Adlm Syrc Cher Cans Vaii Yiii Java Bali Sund Olck Mtei Cakm Cham Lisu Lana Talu Tale Tavt Batk " +
  "Bugi Rjng Rohg Sylo Saur Newa Lepc Limb Kali Plrd Hmnp Osge Bamu Mand Wcho Mroo Wara Sora Gong Gonm Tirh Mend Medf Bass " +
  "Osma Hmng Pauc Tglg Hano Buhd Tagb Copt Samr Yezi Dsrt Shaw"
).split(" ");

/**
 * Matches a character of one of the `SCRIPTS`, with one capturing group per script. Other characters are shared by many
 * scripts or adopt the script of their neighbors. The pattern is compiled on first use.
 */
let pattern: RegExp | undefined;

/**
 * Matches ASCII text, in which only letters have a script. Most texts are ASCII, and a pattern of 87 groups is slow.
 */
const ASCII = /^[\0-\x7f]*$/;

/** Returns the script of the first character in `text` that belongs to a single script (UAX #24). */
export function scriptOf(text: string): string | undefined {
  if (ASCII.test(text)) return /[A-Za-z]/.test(text) ? "Latn" : undefined;
  pattern ??= new RegExp(SCRIPTS.map((script) => `(\\p{Script=${script}})`).join("|"), "u");
  const match = pattern.exec(text);
  return match ? SCRIPTS[match.findIndex((group, i) => i > 0 && group !== undefined) - 1] : undefined;
}
