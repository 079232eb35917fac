/** The scripts that the fonts here cover (ISO 15924), the most common first. */
export const SCRIPTS = (
  "Latn Hani Arab Cyrl Deva Hira Kana Hang Grek Hebr Beng Taml Telu Knda Mlym Gujr Guru Orya Sinh Thai Laoo Khmr Mymr Geor Armn Ethi Bopo " +
  "Tibt Thaa Mong Tfng Nkoo Adlm Syrc Cher Cans Vaii Yiii Java Bali Sund Olck Mtei Cakm Cham Lisu Lana Talu Tale Tavt Batk " +
  "Bugi Rjng Rohg Sylo Saur Newa Lepc Limb Kali Plrd Hmnp Osge Bamu Mand Wcho Mroo Wara Sora Gong Gonm Tirh Mend Medf Bass " +
  "Osma Hmng Pauc Tglg Hano Buhd Tagb Copt Samr Yezi Dsrt Shaw"
).split(" ");

/** One group for each script. What none matches is shared by many scripts, or takes the script of its neighbours. */
let pattern: RegExp | undefined;

/** Of ASCII, only letters have a script. It is most of what is asked for, and 87 groups take long. */
const ASCII = /^[\0-\x7f]*$/;

/** Returns the script of the first character in `text` that has one of its own (Unicode Standard Annex #24). */
export function scriptOf(text: string): string | undefined {
  if (ASCII.test(text)) return /[A-Za-z]/.test(text) ? "Latn" : undefined;
  pattern ??= new RegExp(SCRIPTS.map((script) => `(\\p{Script=${script}})`).join("|"), "u");
  const match = pattern.exec(text);
  return match ? SCRIPTS[match.findIndex((group, i) => i > 0 && group !== undefined) - 1] : undefined;
}
