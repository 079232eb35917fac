import { describe, expect, test } from "vitest";
import { TEXT_SAMPLES } from "../../../scripts/lib/textSamples.ts";
import { chooseFonts } from "../../../src/engine/fonts/choose.ts";
import { SCRIPTS } from "../../../src/engine/fonts/scripts.ts";

/** Scripts that Unicode recommends for identifiers (UAX #31, table 5) or lists as limited-use scripts (table 7). */
const RECOMMENDED =
  "Arab Armn Beng Bopo Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira Kana Knda Khmr Laoo Latn Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt";
const LIMITED_USE =
  "Adlm Bali Bamu Batk Cakm Cans Cham Cher Hmnp Java Kali Lana Lepc Limb Lisu Mand Mtei Newa Nkoo Olck Osge Plrd Rohg Saur Sund Sylo Syrc Tale Talu Tavt Tfng Vaii Wcho Yiii";

test("the fonts cover every script in modern use", () => {
  const missing = `${RECOMMENDED} ${LIMITED_USE}`.split(" ").filter((script) => !SCRIPTS.includes(script));
  expect(missing).toEqual([]);
});

/** A word for "secret", "draft" or "copy" in each language or script, in addition to the lines of TEXT_SAMPLES. */
const WORDS: Record<string, string> = {
  Afrikaans: "vertroulik",
  Albanian: "konfidencial ç ë",
  Amharic: "ምስጢር",
  Asante: "kokoamsɛm",
  Assamese: "গোপনীয় ৰাষ্ট্ৰ",
  Avar: "балъгояб",
  Awadhi: "गुप्त",
  Aymara: "imantata",
  Azerbaijani: "məxfi",
  Bashkir: "йәшерен ҡағыҙ",
  Basque: "isilpekoa",
  Belarusian: "сакрэтна ў",
  Bhojpuri: "गोपनीय",
  Blin: "ምስጢር",
  Bosnian: "povjerljivo",
  Breton: "kuzh",
  Bulgarian: "поверително",
  Burushaski: "پٹ",
  Catalan: "confidencial col·lecció",
  Chechen: "къайле",
  Chichewa: "chinsinsi",
  Chukchi: "ԓыгъоравэтԓьан",
  Chuvash: "вӑрттӑн",
  Corsican: "cunfidenziale",
  Croatian: "tajno čćžšđ",
  Czech: "důvěrné",
  Danish: "fortroligt å",
  Dari: "محرمانه",
  Dinka: "thöŋ",
  Divehi: "ސިއްރު",
  Dogri: "गुप्त",
  Dutch: "vertrouwelijk",
  Esperanto: "konfidenca ĝ",
  Estonian: "salajane",
  Ewe: "nuɣaɣla",
  Faroese: "loyniligt ð",
  Finnish: "luottamuksellinen",
  French: "confidentiel œuvre",
  Frisian: "fertroulik",
  Fula: "suuɗii",
  Galician: "confidencial",
  German: "vertraulich ẞ",
  Guarani: "ñemigua g̃",
  Haitian: "konfidansyèl",
  Hausa: "asirce ɓ ɗ",
  Hawaiian: "huna ʻokina",
  Hungarian: "bizalmas ő",
  Icelandic: "trúnaðarmál",
  Igbo: "nzuzo ị",
  Ilocano: "nalimed",
  Inuktitut: "ᑲᓐᖏᔭᖅ",
  Irish: "faoi rún ṁ",
  Italian: "riservato",
  "Jawi Malay": "سوليت",
  Kabyle: "uffir ɣ",
  Kashmiri: "کٲشُر",
  Kazakh: "құпия",
  Khasi: "jingbuhrieh",
  Kinyarwanda: "ibanga",
  Komi: "гусьӧн",
  Konkani: "गुपीत",
  Kurdish: "nepenî",
  "Kurdish, Sorani": "نهێنی",
  Kyrgyz: "купуя",
  Latvian: "konfidenciāls",
  Lithuanian: "konfidencialu ė",
  Lakota: "naȟmá",
  Luganda: "ekyama ŋ",
  Luxembourgish: "vertraulech",
  Macedonian: "доверливо ѓ",
  Malagasy: "tsiambaratelo",
  Malay: "sulit",
  Maltese: "kunfidenzjali ħ",
  Manx: "folliaghtagh",
  Maori: "matatapu ā",
  Marathi: "गोपनीय ऱ्या",
  Mongol: "нууц ө",
  Navajo: "nanilʼin ǫ́",
  Nepali: "गोप्य",
  Northern: "čiegus ŋ",
  Norwegian: "fortrolig ø",
  Occitan: "confidencial",
  Oromo: "iccitii",
  Ossetian: "сусæг",
  Pashto: "پټ ښ",
  Polish: "poufne ł",
  Portuguese: "confidencial ã",
  Punjabi: "ਗੁਪਤ",
  Quechua: "pakasqa",
  Romanian: "confidențial",
  Romansh: "confidenzial",
  Samoan: "faalilolilo",
  Sanskrit: "गोप्यम् ॐ",
  Saraiki: "خفیہ ڄ",
  Scots: "saicret",
  Serbian: "поверљиво",
  Shona: "zvakavanzika",
  Sindhi: "ڳجهو",
  "Slavonic, Church": "та́йна ꙋ",
  Slovak: "dôverné ľ",
  Slovenian: "zaupno",
  Somali: "sir",
  Spanish: "confidencial ñ",
  Swahili: "siri",
  Swedish: "konfidentiellt",
  Tajik: "махфӣ",
  Tatar: "яшерен җ",
  Tigrinya: "ምስጢራዊ",
  Tongan: "fakapulipuli",
  Turkish: "gizli ğ ı",
  Turkmen: "gizlin ý",
  Tuvan: "чажыт ү",
  Ukrainian: "таємно ґ",
  Uyghur: "مەخپىي",
  Uzbek: "maxfiy oʻ",
  Wolof: "sutura ŋ",
  Xhosa: "imfihlo",
  Yakut: "кистэлэҥ",
  Yiddish: "געהיים ײַ",
  Yoruba: "àṣírí ẹ̀",
  Zhuang: "bijmaed",
  Zulu: "imfihlo",
};
const SAMPLES = { ...TEXT_SAMPLES, ...WORDS };

describe("words of living scripts", () => {
  test.each(["regular", "bold"] as const)(
    "the %s fonts cover a sample word of every script and language in use today",
    (weight) => {
      expect(Object.keys(SAMPLES).length).toBeGreaterThan(181);
      const uncovered = Object.entries(SAMPLES).filter(([, word]) => {
        try {
          return chooseFonts(word.normalize("NFC"), weight).length === 0;
        } catch {
          return true;
        }
      });
      expect(uncovered).toEqual([]);
    },
  );
});

test.each([
  ["currency signs", 0x20a0, 0x20c0],
  ["box drawing and blocks", 0x2500, 0x259f],
  ["mathematical operators", 0x2200, 0x22ff],
  ["supplemental mathematical operators", 0x2a00, 0x2aff],
  ["mathematical letters", 0x1d400, 0x1d7ff],
  ["musical symbols", 0x1d100, 0x1d172],
  ["musical noteheads", 0x1d17b, 0x1d1dd],
])('the fonts cover all assigned characters of the range "%s"', (_, first, last) => {
  const assigned = Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)).filter(
    (character) => /\P{Cn}/u.test(character),
  );
  expect(() => assigned.map((character) => chooseFonts(character, "regular"))).not.toThrow();
});

test("draws the sample line of a script with fonts of only one family", () => {
  for (const [name, line] of Object.entries(TEXT_SAMPLES)) {
    // these samples need several fonts, for example Bopomofo with Latin tone marks
    if (["Symbols", "Emoji", "Mathematics", "Currencies", "Music", "Bopomofo"].includes(name)) continue;
    const families = chooseFonts(line.replaceAll(" ", ""), "regular").map(({ file }) => file.family.name);
    expect([...new Set(families)], name).toHaveLength(1);
  }
});
