/** Selects letterforms by the language of a text. */
import { FAMILIES, type Family } from "./families.ts";

/** Languages that select letterforms, as BCP 47 tags. They may be unknown or malformed. */
export interface Languages {
  /** Language of the text, from the caller. */
  readonly text?: string | undefined;
  /** Language of the document (ISO 32000-2, 14.9.2), used if the text's is unknown. */
  readonly document?: string | undefined;
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Languages whose Arabic letters are set in Nastaliq: Urdu, Kashmiri, Punjabi, Western Punjabi (two tags), Saraiki. */
const NASTALIQ = new Set(["ur", "ks", "pa", "pnb", "lah", "skr"]);

/**
 * Returns the families to try first for a line of `text`: those of the given language, of the writing (kana or hangul),
 * and of the document. Kana decide for the whole text, since a Japanese line can consist of ideographs. Hangul decides
 * only for its line, since ideographs beside Korean are mostly Chinese.
 */
export function familiesOf(line: string, text: string, languages: Languages): Family[] {
  const names = [
    familyOf(languages.text),
    KANA.test(line)
      ? "noto-sans-jp"
      : HANGUL.test(line)
        ? "noto-sans-kr"
        : KANA.test(text)
          ? "noto-sans-jp"
          : undefined,
    languages.text === undefined ? familyOf(languages.document) : undefined,
  ];
  return names.flatMap((name) => FAMILIES.find((family) => family.name === name) ?? []);
}

/** Returns the name of the family with a language's letterforms, if they differ from the default. */
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

/** Returns the language, script and region of a tag for shaping; undefined if the tag is malformed. */
export function languageForShaping({ text, document }: Languages): string | undefined {
  const locale = localeOf(text ?? document);
  return locale && [locale.language, locale.script, locale.region].filter(Boolean).join("-");
}

/** Parses a tag without its extensions. */
function localeOf(tag: string | undefined): Intl.Locale | undefined {
  try {
    return tag === undefined ? undefined : new Intl.Locale(new Intl.Locale(tag).baseName);
  } catch {
    return undefined;
  }
}
