import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { FAMILIES } from "../../../src/engine/fonts/families.ts";
import { loadFont, shape } from "../../../src/engine/fonts/library.ts";

const missing = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher;

describe("the font library", () => {
  it("fails where an asset is missing, and loads it once it is there", async () => {
    await expect(loadFont(missing, "noto-sans-lao-bold.ttf")).rejects.toThrow(
      "noto-sans-lao-bold.ttf could not be loaded: 404",
    );
    expect((await loadFont(env.FONTS, "noto-sans-lao-bold.ttf")).name).toBe("NotoSansLao-Bold");
  });

  it("keeps a font for the next request", async () => {
    const regular = await loadFont(env.FONTS, "noto-sans-regular.ttf");
    expect(await loadFont(missing, "noto-sans-regular.ttf")).toBe(regular);
  });

  it("lets go of the fonts used longest ago, and still shapes with those that someone holds", async () => {
    const first = await loadFont(env.FONTS, "noto-sans-thai-regular.ttf");
    const run = { start: 0, end: 1, rightToLeft: false, script: "Thai" };
    const before = shape(first, "ก", run);

    const others = FAMILIES.flatMap(({ name, files }) =>
      files === "sliced"
        ? []
        : (files === "regular" ? ["regular"] : ["regular", "bold"]).map((weight) => `${name}-${weight}.ttf`),
    ).filter((path) => !path.includes("thai"));
    for (const path of others) shape(await loadFont(env.FONTS, path), " ", { ...run, script: "Zyyy" });

    await expect(loadFont(missing, "noto-sans-thai-regular.ttf")).rejects.toThrow("404");
    expect(shape(first, "ก", run)).toEqual(before);
  });
});
