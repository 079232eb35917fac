/** Selects letterforms by the language of a text: the font families to try first, and the language for HarfBuzz. */
import { FAMILIES, type Family } from "./families.ts";

/** Selects letterforms. Languages are BCP 47 tags, which may be unknown or malformed. */
export interface Letterforms {
  /** Language of the text, from the caller. */
  readonly text?: string | undefined;
  /** Language of the document (ISO 32000-2, 14.9.2), used if the language of the text is unknown. */
  readonly document?: string | undefined;
  /** Style of Latin, Greek and Cyrillic letters. Defaults to `sans`. */
  readonly font?: FontStyle | undefined;
}

/** The styles of letters: `sans` without serifs, and `serif` with serifs. */
export const FONT_STYLES = ["sans", "serif"] as const;
export type FontStyle = (typeof FONT_STYLES)[number];

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Languages that use Nastaliq letterforms: Urdu, Kashmiri, Punjabi, Western Punjabi (two tags), Saraiki. */
const NASTALIQ = new Set(["ur", "ks", "pa", "pnb", "lah", "skr"]);

/**
 * Returns the families to try first for a line of `text`. If the caller requests serifs, the serif family is first. The
 * serif family has only Latin, Greek and Cyrillic letters. The next families follow from the caller's language, and
 * then from kana or hangul in the text. The document's language counts only if the caller specifies no language. Kana
 * determine the family for all lines of the text, because a line of Japanese can consist of ideographs only. Hangul
 * determines the family only for its own line, because ideographs beside Korean are mostly Chinese.
 */
export function familiesOf(line: string, text: string, letterforms: Letterforms): Family[] {
  const names = [
    letterforms.font === "serif" ? "noto-serif" : undefined,
    familyOf(letterforms.text),
    KANA.test(line)
      ? "noto-sans-jp"
      : HANGUL.test(line)
        ? "noto-sans-kr"
        : KANA.test(text)
          ? "noto-sans-jp"
          : undefined,
    letterforms.text === undefined ? familyOf(letterforms.document) : undefined,
  ];
  return names.flatMap((name) => FAMILIES.find((family) => family.name === name) ?? []);
}

/** Returns the name of the family with the letterforms of a language, or undefined for the default letterforms. */
function familyOf(tag: string | undefined): string | undefined {
  const locale = localeOf(tag);
  if (!locale) return undefined;
  const { language, script, region } = locale.maximize();
  if (NASTALIQ.has(language)) return "noto-nastaliq-urdu";
  switch (script) {
    case "Jpan":
      return "noto-sans-jp";
    case "Kore":
      return "noto-sans-kr";
    case "Hant":
      return region === "HK" || region === "MO" ? "noto-sans-hk" : "noto-sans-tc";
    case "Hans":
      return "noto-sans-sc";
  }
  return undefined;
}

/** Returns the language, script and region for HarfBuzz, or undefined if the language is unknown or malformed. */
export function languageForShaping({ text, document }: Letterforms): string | undefined {
  const locale = localeOf(text ?? document);
  return locale && [locale.language, locale.script, locale.region].filter(Boolean).join("-");
}

/** Parses a BCP 47 tag without its extensions. Returns undefined for a missing or malformed tag. */
function localeOf(tag: string | undefined): Intl.Locale | undefined {
  try {
    return tag === undefined ? undefined : new Intl.Locale(new Intl.Locale(tag).baseName);
  } catch {
    return undefined;
  }
}
