/** What the language of a text says about its letterforms. */
import { FAMILIES, type Family } from "./families.ts";

/** The languages that a mark can take its letterforms from, as BCP 47 tags; none has to be known or well-formed. */
export interface Languages {
  /** The text's own, as the caller says. */
  readonly text?: string | undefined;
  /** The document's (ISO 32000-2, 14.9.2), which counts where the text's is not known. */
  readonly document?: string | undefined;
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Languages whose Arabic letters are set in Nastaliq: Urdu, Kashmiri, Punjabi, Western Punjabi (by either name), Saraiki. */
const NASTALIQ = new Set(["ur", "ks", "pa", "pnb", "lah", "skr"]);

/**
 * Returns the families to try before all others, for a line of `text`: those of the language that is given, of the
 * writing that tells it (kana and hangul), of the document. Kana tell the language of the whole text, since a Japanese
 * line can be all ideographs; hangul only that of its line, since ideographs beside Korean are mostly Chinese.
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

/** Returns the name of the family that has a language's letterforms, if the families for everyone have others. */
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

/** Returns a tag's language, script and region, as far as it has them, for shaping; undefined if it is not well-formed. */
export function languageForShaping({ text, document }: Languages): string | undefined {
  const locale = localeOf(text ?? document);
  return locale && [locale.language, locale.script, locale.region].filter(Boolean).join("-");
}

/** Reads a tag without its extensions. */
function localeOf(tag: string | undefined): Intl.Locale | undefined {
  try {
    return tag === undefined ? undefined : new Intl.Locale(new Intl.Locale(tag).baseName);
  } catch {
    return undefined;
  }
}
