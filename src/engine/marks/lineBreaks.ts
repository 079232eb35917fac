/**
 * Finds the places where a line may break: between words and around punctuation (UAX #14). In scripts without spaces,
 * the runtime's dictionaries find the words. All functions are pure.
 */
import { withNumber } from "../fonts/digitPlaceholders.ts";

/**
 * Characters that never begin a line, as in strict Japanese typesetting: closing brackets (classes CL and CP), final
 * quotes (QU), punctuation (EX, IS and IN), percent and unit signs (PO), combining marks (CM), and small kana and
 * iteration marks (CJ and NS).
 */
const NEVER_FIRST =
  /^(?:[\p{Pe}\p{Pf}\p{M}!%),.:;?\]}…‥・〜～、。，．：；！？％℃¢”’々〻ゝゞヽヾーぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ]|[\u3099-\u309c\u31f0-\u31ff])/u;
/** Characters that do not begin a line even after a space (rule LB13, and French punctuation). */
const NEVER_FIRST_AFTER_SPACE = /^[\p{Pe}!?:;»]/u;
/** Characters that never end a line: opening brackets (OP), initial quotes (QU), signs before a number (PR and #). */
const NEVER_LAST = /[\p{Ps}\p{Pi}$£¥€＄￥￡₩#№“‘]$/u;
/** Characters before and after which a line may break: ideographs (class ID) and wide punctuation. */
const IDEOGRAPH =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\p{Extended_Pictographic}\u3000-\u303f\uff01-\uff60ー]/u;

/** The word segmenter. It is created on first use, because the runtime needs milliseconds to load its dictionaries. */
let words: Intl.Segmenter | undefined;

/**
 * Splits a paragraph into pieces that are never broken at a line end. Trailing spaces belong to the piece before them.
 */
export function pieces(paragraph: string): string[] {
  const result: string[] = [];
  let last: Intl.SegmentData | undefined;
  words ??= new Intl.Segmenter(undefined, { granularity: "word" });
  for (const segment of words.segment(withNumber(paragraph))) {
    const text = paragraph.slice(segment.index, segment.index + segment.segment.length);
    if (!last || mayBreakBetween(last, segment)) result.push(text);
    else result[result.length - 1] += text;
    last = segment;
  }
  return result;
}

function mayBreakBetween(before: Intl.SegmentData, after: Intl.SegmentData): boolean {
  const [last, first] = [before.segment, after.segment];
  if (/^\s/.test(first)) return false;
  if (/[^\S\u00a0\u202f]$/u.test(last)) return !NEVER_FIRST_AFTER_SPACE.test(first);
  if (/[\u00a0\u202f\u2060]$/.test(last) || NEVER_LAST.test(last) || NEVER_FIRST.test(first)) return false;
  if (/[-‐–—]$/.test(last)) return !/^\p{Nd}/u.test(first);
  if (isIdeograph(/.[\p{M}\u200d]*$/su.exec(last)) || isIdeograph(/^./su.exec(first))) return true;
  return before.isWordLike === true && after.isWordLike === true;
}

/** Returns whether the text of a match begins with an ideograph. */
function isIdeograph(found: RegExpExecArray | null): boolean {
  return found !== null && IDEOGRAPH.test(found[0]);
}
