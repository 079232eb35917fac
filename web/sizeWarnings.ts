/** Warns if the size that the visitor chose does not fit on a page. The engine then makes the mark smaller. */
import type { MarkOutline } from "../src/engine/index.ts";
import { MARK_SIZE } from "./markSize.ts";
import type { Settings } from "./settings.ts";
import { lengthInWords } from "./units.ts";
import type { Warning } from "./warnings.ts";

/** Minimum share of the chosen size at which a mark counts as fitting. The tolerance allows for rounding. */
const TOLERANCE = 0.995;

/** Formats a size in words. */
const IN_WORDS = { text: lengthInWords, image: (share: number) => `${Math.round(share * 100)} %` };

/** Returns a warning if marks are smaller than the size in the settings. */
export function sizeWarnings(outlines: readonly MarkOutline[], { operation, fields }: Settings): Warning[] {
  const { field, sizeOn, step } = MARK_SIZE[operation];
  const inWords = IN_WORDS[operation];
  const chosen = fields[field];
  if (typeof chosen !== "number") return [];
  const smaller = outlines.filter((outline) => sizeOn(outline) < chosen * TOLERANCE);
  if (smaller.length === 0) return [];
  const least = Math.min(...smaller.map(sizeOn));
  const fitting = Number((Math.floor(least / step) * step).toFixed(2));
  const where = smaller.length === 1 ? `page ${smaller[0]!.page}` : `${smaller.length.toLocaleString("en")} pages`;
  return [
    {
      words: `A size of ${inWords(chosen)} does not fit on ${where}. The mark is smaller there.`,
      mends: fitting > 0 ? [{ label: `Use ${inWords(fitting)} everywhere`, fields: { [field]: fitting } }] : [],
    },
  ];
}
