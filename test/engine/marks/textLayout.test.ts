import { expect, test } from "vitest";
import { typesetterFor } from "../../../src/engine/fonts/layout.ts";
import { lookOf } from "../../../src/engine/marks/look.ts";
import { fillIn } from "../../../src/engine/marks/placeholders.ts";
import { layOutText } from "../../../src/engine/marks/textLayout.ts";
import { Meter, WORK_LIMITS } from "../../../src/engine/pdf/meter.ts";
import { loadFont } from "../../support/fonts.ts";

const MARK = { text: "Page {page}" };
const look = lookOf({});

/** So many pages, no two of one size. */
const sizes = (count: number) => Array.from({ length: count }, (_, i) => ({ width: 600 + i / 10, height: 800 }));

async function layOut(count: number, meter = new Meter(0)) {
  const text = fillIn(MARK.text, { pages: 100, date: new Date(0) });
  const typesetter = await typesetterFor(text, look.weight, loadFont, { text: undefined, document: undefined });
  return layOutText(text, sizes(count), MARK, look, typesetter, meter);
}

test("pages of many sizes show the clusters of a text no more often than those of one", async () => {
  const one = [...(await layOut(10)).clusters()];
  expect(one.length).toBeGreaterThan(5);
  expect([...(await layOut(99)).clusters()]).toHaveLength(one.length);
});

test("each size of page is charged for", async () => {
  const [few, many] = [new Meter(0), new Meter(0)];
  await layOut(10, few);
  await layOut(20, many);
  expect(few.used.marked).toBeGreaterThan(4 * 1024);
  expect(many.used.marked).toBe(2 * few.used.marked);
});

test("a text that takes too much of a file's allowance is refused, with what helps", async () => {
  const meter = new Meter(0);
  await layOut(10, meter);
  meter.mark(WORK_LIMITS.scanned - meter.used.marked);
  await expect(layOut(1, meter)).rejects.toMatchObject({
    code: "too_complex",
    message: expect.stringContaining("Send a shorter text"),
  });
});
