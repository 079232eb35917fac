import { describe, expect, test } from "vitest";
import { SEEDS } from "../support/seeds.ts";
import { stamp } from "../support/stamp.ts";
import { type Rendered, render } from "./render.ts";

const isMagenta = ([r, g, b]: [number, number, number]) => r > 230 && g < 25 && b > 230;
const isInk = ([r, g, b]: [number, number, number]) => Math.min(r, g, b) < 240;

/** The pages a reader shows of a file, however broken; none where it shows nothing. */
async function shown(pdf: Uint8Array): Promise<Rendered[]> {
  try {
    return await render(pdf);
  } catch {
    return [];
  }
}

describe("cut off where the source once ended, the result shows no page without its mark", () => {
  test.each(Object.entries(SEEDS))("%s", async (_, source) => {
    const text = Buffer.from(source).toString("latin1");
    const ends = [...text.matchAll(/%%EOF/g)].map(({ index }) => index + 6);
    expect(ends.length).toBeGreaterThan(0);
    expect((await shown(source)).some((page) => page.boxOf(isInk))).toBe(true);

    const output = await stamp(source);
    for (const end of [...ends, source.length, Math.floor(source.length / 2)])
      for (const page of await shown(output.subarray(0, end)))
        expect(page.boxOf(isInk) && !page.boxOf(isMagenta)).toBeFalsy();
  });
});
