import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { loadFont } from "../../src/fonts/library.ts";

const missing = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher;

describe("the font library", () => {
  it("fails where an asset is missing, and loads it once it is there", async () => {
    await expect(loadFont(missing, "bold")).rejects.toThrow("noto-sans-bold.ttf could not be loaded: 404");
    expect((await loadFont(env.FONTS, "bold")).name).toBe("NotoSans-Bold");
  });

  it("reads each weight once per isolate", async () => {
    const regular = await loadFont(env.FONTS, "regular");
    expect(await loadFont(missing, "regular")).toBe(regular);
    expect(await loadFont(env.FONTS, "bold")).not.toBe(regular);
  });
});
