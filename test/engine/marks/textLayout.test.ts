import { expect, test } from "vitest";
import { typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { appearanceOf } from "../../../src/engine/marks/appearance.ts";
import { ELLIPSIS } from "../../../src/engine/marks/fit.ts";
import type { PageSize } from "../../../src/engine/marks/geometry.ts";
import { digitCounts, fillIn } from "../../../src/engine/marks/placeholders.ts";
import { layOutText } from "../../../src/engine/marks/textLayout.ts";
import type { TextMark } from "../../../src/engine/options.ts";
import { COSTS } from "../../../src/engine/pdf/source/costs.ts";
import { Meter, WORK_LIMITS } from "../../../src/engine/pdf/source/meter.ts";
import { loadFont } from "../../support/fonts.ts";

const MARK = { text: "Page {page}" };
const appearance = appearanceOf({});

/** Returns `count` pages of different sizes. */
const sizes = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ width: 600 + i / 10, height: 800, userUnit: 1 }));

async function layOut(count: number, meter = new Meter(0), mark: TextMark = MARK, pages: PageSize[] = sizes(count)) {
  const values = { pages: count, pageStart: 1, date: new Date(0) };
  const text = fillIn(mark.text, values);
  const typesetter = await typesetterFor(text + ELLIPSIS, appearance.weight, loadFont, {
    text: undefined,
    document: undefined,
  });
  return layOutText({ text, digits: digitCounts(mark.text, values) }, pages, appearanceOf(mark), typesetter, meter);
}

test("pages of different sizes share the glyph clusters of a text", async () => {
  const one = [...(await layOut(10)).clusters()];
  expect(one.length).toBeGreaterThan(5);
  expect([...(await layOut(99)).clusters()]).toHaveLength(one.length);
});

test("laying out a text charges the same work for each further page size", async () => {
  const [none, few, many] = [new Meter(0), new Meter(0), new Meter(0)];
  await layOut(10, none);
  await layOut(20, few);
  await layOut(30, many);
  expect(few.used.marked - none.used.marked).toBeGreaterThan(4 * 1024);
  expect(many.used.marked - none.used.marked).toBe(2 * (few.used.marked - none.used.marked));
});

/** A text that is cut at a different length for most page sizes. */
const LONG = { text: "ab社外秘の".repeat(70), template: "footer" } as const;
const smallSizes = (count: number, step: number) =>
  Array.from({ length: count }, (_, i) => ({ width: 100 + i * step, height: 100, userUnit: 1 }));

test("lays out only a few lines per page size to find where to cut a text", async () => {
  const [few, many] = [new Meter(0), new Meter(0)];
  await layOut(50, few, LONG, smallSizes(50, 0.1));
  await layOut(500, many, LONG, smallSizes(500, 0.01));
  expect(many.used.marked).toBeLessThan(2 * few.used.marked + 450 * 64 * LONG.text.length);
});

test("charges the memory of a text's retained lines to the meter", async () => {
  const meter = new Meter(0);
  await layOut(100, meter, LONG, smallSizes(100, 1));
  expect(meter.used.retained).toBeGreaterThan(512 * 200);
  meter.retain(WORK_LIMITS.retained - meter.used.retained);
  await expect(layOut(1, meter, LONG)).rejects.toMatchObject({
    code: "too_complex",
    message: expect.stringContaining("Send a shorter text"),
  });
});

test.each([
  [1400, 1],
  [14_000, 10],
])("limits the font size to %i points on a page with user units of %i points", async (mostPt, userUnit) => {
  for (const fontSizePt of [undefined, 20_000]) {
    const page = { width: 90_000, height: 90_000, userUnit };
    const { layoutOn } = await layOut(1, new Meter(0), { ...MARK, fontSizePt }, [page]);
    expect(layoutOn(page).fontSizePt).toBe(mostPt);
  }
});

test("suggests a shorter text if the text exceeds the work limit", async () => {
  const meter = new Meter(0);
  await layOut(10, meter);
  meter.charge("placeMark", (WORK_LIMITS.scanned - meter.used.marked) / COSTS.placeMark.units);
  await expect(layOut(1, meter)).rejects.toMatchObject({
    code: "too_complex",
    message: expect.stringContaining("Send a shorter text"),
  });
});
