import { expect, it } from "vitest";
import { EngineError, watermark } from "../../../../src/engine/index.ts";
import { joined } from "../../../support/bytes.ts";
import { loadFont } from "../../../support/fonts.ts";
import { FileBuilder } from "../fixture.ts";

/** Returns the number of marked pages, the code of an EngineError, or any other thrown value. */
async function outcome(pdf: Uint8Array): Promise<unknown> {
  try {
    const plan = await watermark(pdf, { text: "DRAFT" }, { loadFont });
    await joined(plan.chunks());
    return plan.pages;
  } catch (error) {
    return error instanceof EngineError ? error.code : error;
  }
}

it.each([
  ["an XObject", "/XObject<</Fm 9 0 R>>"],
  ["a resource category", "/XObject 9 0 R"],
  ["a color space", "/ColorSpace<</Cs 9 0 R>>"],
  ["a graphics state", "/ExtGState<</Gs 9 0 R>>"],
])("the engine marks a page even if %s of the page's resources is in a missing object stream", async (_, resources) => {
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Resources<<${resources}>>/Contents 4 0 R>>`;
  const builder = new FileBuilder().objects({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: page,
    4: { data: "0 g 10 10 50 50 re f" },
  });
  expect(await outcome(builder.xrefStream(6, [[9, 998, 0]]).bytes())).toBe(1);
});
