import { type FamilySource, fromDebian, fromNpm, regularFromNpm } from "./sources.ts";

/** East Asian characters; other families are used for all others. */
const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\u3000-\u33ff\ufe10-\ufe6f\uff00-\uffef]/u;
const HANGUL = /[\p{Script=Hangul}]/u;

const sliced = (name: string, file: string, accepts: (character: string) => boolean): FamilySource => ({
  ...regularFromNpm(name, file),
  accepts,
  sliced: true,
});

/** The typefaces of `fonts/`, in order of preference. */
export const FAMILIES: readonly FamilySource[] = [
  // it has only part of Devanagari
  { ...fromNpm("noto-sans", "NotoSans"), accepts: (character) => !/\p{Script=Devanagari}/u.test(character) },
  fromNpm("noto-sans-arabic", "NotoSansArabic"),
  // only for languages that are written in it, see src/engine/fonts/language.ts: the family above comes first
  fromDebian("noto-nastaliq-urdu", "NotoNastaliqUrdu"),
  fromNpm("noto-sans-hebrew", "NotoSansHebrew"),
  fromNpm("noto-sans-devanagari", "NotoSansDevanagari"),
  fromNpm("noto-sans-bengali", "NotoSansBengali"),
  fromNpm("noto-sans-tamil", "NotoSansTamil"),
  fromNpm("noto-sans-thai", "NotoSansThai"),
  fromNpm("noto-sans-georgian", "NotoSansGeorgian"),
  fromNpm("noto-sans-armenian", "NotoSansArmenian"),
  fromDebian("noto-sans-telugu", "NotoSansTelugu"),
  fromDebian("noto-sans-kannada", "NotoSansKannada"),
  fromDebian("noto-sans-malayalam", "NotoSansMalayalam"),
  fromDebian("noto-sans-gujarati", "NotoSansGujarati"),
  fromDebian("noto-sans-gurmukhi", "NotoSansGurmukhi"),
  fromDebian("noto-sans-sinhala", "NotoSansSinhala"),
  fromDebian("noto-sans-lao", "NotoSansLao"),
  fromDebian("noto-sans-khmer", "NotoSansKhmer"),
  fromDebian("noto-sans-myanmar", "NotoSansMyanmar"),
  fromDebian("noto-sans-ethiopic", "NotoSansEthiopic"),
  sliced("noto-sans-sc", "NotoSansSC", (character) => EAST_ASIAN.test(character) && !HANGUL.test(character)),
  sliced("noto-sans-jp", "NotoSansJP", (character) => EAST_ASIAN.test(character)),
  sliced("noto-sans-kr", "NotoSansKR", (character) => EAST_ASIAN.test(character)),
  sliced("noto-sans-tc", "NotoSansTC", (character) => EAST_ASIAN.test(character) && !HANGUL.test(character)),
  sliced("noto-sans-hk", "NotoSansHK", (character) => EAST_ASIAN.test(character) && !HANGUL.test(character)),
  fromDebian("noto-sans-symbols", "NotoSansSymbols"),
  fromDebian("noto-sans-symbols2", "NotoSansSymbols2"),
  fromDebian("noto-sans-math", "NotoSansMath"),
  regularFromNpm("noto-emoji", "NotoEmoji"),
];
