/** Warns if the size that the visitor chose does not fit on a page. The engine then makes the mark smaller. */
import type { MarkOutline } from "../src/engine/index.ts";
import { shapeOf } from "./markGeometry.ts";
import type { Settings } from "./settings.ts";
import { lengthInWords } from "./units.ts";
import type { Warning } from "./warnings.ts";

/** Units of a text's outline per em. */
const UNITS_PER_EM = 100;
/** Shares of a size within which the mark counts as fitting, because sizes are rounded. */
const TOLERANCE = 0.995;

/** The field of a size, how it is measured on a page, the step to which it is rounded, and its form in words. */
const SIZES = {
  text: {
    field: "font_size",
    sizeOn: ({ scale }: MarkOutline) => scale * UNITS_PER_EM,
    step: 0.1,
    inWords: lengthInWords,
  },
  image: {
    field: "scale",
    sizeOn: (outline: MarkOutline) => shapeOf(outline).width / outline.pageSize.width,
    step: 0.01,
    inWords: (share: number) => `${Math.round(share * 100)} %`,
  },
} as const;

/** Returns a warning if marks are smaller than the size in the settings. */
export function sizeWarnings(outlines: readonly MarkOutline[], { operation, fields }: Settings): Warning[] {
  const { field, sizeOn, step, inWords } = SIZES[operation];
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
      mend: fitting > 0 ? { label: `Use ${inWords(fitting)} everywhere`, fields: { [field]: fitting } } : undefined,
    },
  ];
}
