import { EngineError } from "../errors.ts";
import { type FontFile, familiesFor, fileWith, fileWithForms, isEmoji, type Weight } from "./coverage.ts";
import { FAMILIES, type Family } from "./families.ts";
import { graphemesOf } from "./graphemes.ts";
import { scriptOf } from "./scripts.ts";

/**
 * A grapheme and its font. If no font covers a grapheme as a whole, each of its code points becomes a separate choice.
 */
interface Choice {
  readonly text: string;
  /** ISO 15924 code, or undefined for characters that several scripts share: spaces, digits, punctuation, symbols. */
  readonly script: string | undefined;
  readonly file: FontFile;
}

/** Options for the choice of fonts. */
interface Preferences {
  /** Families to try first, because they have the letterforms of the language. */
  readonly first?: readonly Family[];
  /** Returns whether `file` can draw `characters`. If the function is omitted, every file counts as usable. */
  readonly usable?: (file: FontFile, characters: string) => boolean;
}

/**
 * Chooses a font for each grapheme of `text`: the first family that covers the grapheme. For a character without a
 * script, uses the font of the preceding letters if that font covers the character. Otherwise, uses the font of the
 * following letters. As a result, a phrase is drawn in one typeface. Emoji keep their own font.
 * @throws EngineError unsupported_character if no font covers a character
 */
export function chooseFonts(text: string, weight: Weight, { first = [], usable }: Preferences = {}): Choice[] {
  const search = (part: string, families: readonly Family[], fileOf: typeof fileWith) => {
    for (const family of families) {
      const file = fileOf(family, part, weight);
      if (file && (!usable || usable(file, part))) return file;
    }
    return undefined;
  };
  const firstFile = (part: string) =>
    (isEmoji(part) ? undefined : search(part, first, fileWithForms)) ??
    search(part, familiesFor(part), fileWith) ??
    // The fonts are loaded for the whole text. A single line may lack the letters that show the language of the text,
    // and so all loaded fonts are tried for the line.
    (usable && search(part, FAMILIES, fileWithForms));

  const choices: Choice[] = [];
  const choose = (part: string, file: FontFile) => choices.push({ text: part, script: scriptOf(part), file });
  for (const { segment, index } of graphemesOf(text)) {
    if (segment === "\n") continue;
    const whole = firstFile(segment);
    if (whole) choose(segment, whole);
    else
      for (const part of segment) {
        const file = firstFile(part);
        if (!file) throw unsupportedCharacter(part, text, index);
        choose(part, file);
      }
  }

  const adopt = (choice: Choice, neighbor: Choice | undefined) => {
    const file = neighbor && !isEmoji(choice.text) && fileWith(neighbor.file.family, choice.text, weight);
    return file && (!usable || usable(file, choice.text)) ? { ...choice, file } : undefined;
  };
  const before = precedingWithScript(choices),
    after = precedingWithScript(choices.toReversed()).reverse();
  return choices.map((choice, i) =>
    choice.script ? choice : (adopt(choice, before[i]) ?? adopt(choice, after[i]) ?? choice),
  );
}

/** Returns, for each choice, the nearest preceding choice with a script. */
function precedingWithScript(choices: readonly Choice[]): (Choice | undefined)[] {
  let last: Choice | undefined;
  return choices.map((choice) => {
    const nearest = last;
    if (choice.script) last = choice;
    return nearest;
  });
}

/**
 * Creates the error for a character that no font covers. The position of the character is counted in grapheme clusters,
 * and therefore does not depend on the normalization form.
 */
function unsupportedCharacter(character: string, text: string, index: number): EngineError {
  const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  const position = [...graphemesOf(text.slice(0, index))].length + 1;
  const where = `character ${position} of ${JSON.stringify(text)}`;
  return new EngineError("unsupported_character", `No font covers ${name}, ${where}. Replace it or leave it out.`);
}
