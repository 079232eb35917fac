/** The scripts that the fonts here cover (ISO 15924), the most common first. */
export const SCRIPTS =
  "Latn Hani Arab Cyrl Deva Hira Kana Hang Grek Hebr Beng Taml Telu Knda Mlym Gujr Guru Sinh Thai Laoo Khmr Mymr Geor Armn Ethi Bopo".split(
    " ",
  );

/** One group for each script. What none matches is shared by many scripts, or takes the script of its neighbours. */
const PATTERN = new RegExp(SCRIPTS.map((script) => `(\\p{Script=${script}})`).join("|"), "u");

/** Returns the script of the first character in `text` that has one of its own (Unicode Standard Annex #24). */
export function scriptOf(text: string): string | undefined {
  const match = PATTERN.exec(text);
  return match ? SCRIPTS[match.slice(1).findIndex((group) => group !== undefined)] : undefined;
}
