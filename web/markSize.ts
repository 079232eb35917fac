/** The size of a mark: the field that sets it, the step to which the page rounds it, and its value on a page. */
import type { MarkOutline } from "../src/engine/index.ts";
import { shapeOf } from "./markGeometry.ts";

/** Units of a text's outline per em. */
const UNITS_PER_EM = 100;

/** The size of marks by operation: a font size in points, or the width as a share of the page's width. */
export const MARK_SIZE = {
  text: { field: "font_size", step: 0.1, sizeOn: ({ scale }: MarkOutline) => scale * UNITS_PER_EM },
  image: {
    field: "scale",
    step: 0.01,
    sizeOn: (outline: MarkOutline) => shapeOf(outline).width / outline.pageSize.width,
  },
} as const;
