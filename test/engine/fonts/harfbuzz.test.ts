import { expect, test } from "vitest";
import { isRightToLeft } from "../../../src/engine/fonts/bidi.ts";
import { typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { loadFont } from "../../support/fonts.ts";
import { vectors } from "./harfbuzz.json";

test.each(vectors)(
  "shapes $text with $file as HarfBuzz's command-line tool does",
  async ({ text, file, width, glyphs }) => {
    const typesetter = await typesetterFor(text, file.includes("bold") ? "bold" : "regular", loadFont);
    const line = typesetter.layOut(text, isRightToLeft(text));

    expect(new Set(line.clusters.map(({ face }) => face.file.path))).toEqual(new Set([file]));
    const units = (em: number, { face }: (typeof line.clusters)[number]) => Math.round(em * face.font.unitsPerEm);
    const placed = line.clusters.flatMap((cluster) =>
      cluster.glyphs.map(({ id, x, y }) => [id, units(cluster.x, cluster) + x, y]),
    );
    expect(placed).toEqual(glyphs);
    expect(units(line.width, line.clusters[0]!)).toBe(width);
  },
);
