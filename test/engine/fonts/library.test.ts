import { describe, expect, it } from "vitest";
import { FAMILIES } from "../../../src/engine/fonts/families.ts";
import { startHarfbuzz } from "../../../src/engine/fonts/harfbuzz.ts";
import { openFont, shape } from "../../../src/engine/fonts/library.ts";
import { loadFont } from "../../support/fonts.ts";

const missing = async (path: string) => {
  throw new Error(`${path} is missing`);
};

describe("the font library", () => {
  it("the font library throws for a missing font file, and loads the file once it exists", async () => {
    await expect(openFont("noto-sans-lao-bold.ttf", missing)).rejects.toThrow("noto-sans-lao-bold.ttf is missing");
    const page = async () => Buffer.from("<!doctype html><title>Home</title>");
    await expect(openFont("noto-sans-lao-bold.ttf", page)).rejects.toThrow(
      "`loadFont` returned no TrueType font for noto-sans-lao-bold.ttf.",
    );
    expect((await openFont("noto-sans-lao-bold.ttf", loadFont)).name).toBe("NotoSansLao-Bold");
  });

  it("the font library caches a font for the next request", async () => {
    const regular = await openFont("noto-sans-regular.ttf", loadFont);
    expect(await openFont("noto-sans-regular.ttf", missing)).toBe(regular);
  });

  it("the font library evicts the least recently used fonts, and still shapes text with an evicted font", async () => {
    await startHarfbuzz();
    const first = await openFont("noto-sans-thai-regular.ttf", loadFont);
    const run = { start: 0, end: 1, rightToLeft: false, script: "Thai" };
    const before = shape(first, "ก", run);

    const others = FAMILIES.flatMap(({ name, files }) =>
      files === "sliced"
        ? []
        : (files === "regular" ? ["regular"] : ["regular", "bold"]).map((weight) => `${name}-${weight}.ttf`),
    ).filter((path) => !path.includes("thai"));
    for (const path of others) shape(await openFont(path, loadFont), " ", { ...run, script: "Zyyy" });

    await expect(openFont("noto-sans-thai-regular.ttf", missing)).rejects.toThrow("missing");
    expect(shape(first, "ก", run)).toEqual(before);
  });
});
