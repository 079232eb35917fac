import { describe, expect, it } from "vitest";
import { planOutput } from "../../../src/engine/pdf/outputPlan.ts";
import { overlay } from "../../../src/engine/pdf/overlay.ts";
import { provePages } from "../../../src/engine/pdf/proof.ts";
import { file, onePage, open } from "./fixture.ts";

const marked = async (contents?: string) => {
  const document = await open(file(contents ? onePage(`/Contents 5 0 R`, { 5: contents }) : onePage()));
  const form = document.add({ dict: "/Subtype/Form/BBox[0 0 1 1]", data: new Uint8Array() });
  await overlay(document, (_, nameOf) => nameOf(form));
  return document;
};

describe("a plan is proved", () => {
  it.each([
    ["of a page with a stream", undefined],
    ["of a page with an array of its own", "[4 0 R]"],
  ])("%s", async (_, contents) => {
    provePages(await marked(contents), () => true);
  });

  it("and no output is made of one whose pages are not marked", async () => {
    const document = await open(file(onePage()));
    await expect(planOutput(document)).rejects.toThrow("page 1 would be written without its mark");
  });

  it("and not where a page is not written", async () => {
    const document = await marked();
    const page = document.pages[0]!.rewrite.num;
    expect(() => provePages(document, (num) => num !== page)).toThrow("page 1 would be written without its mark");
  });

  it("and not where the contents end with something else", async () => {
    const document = await marked();
    Object.assign(document.pages[0]!, { placement: "1 0 R" });
    expect(() => provePages(document, () => true)).toThrow("page 1 would be written without its mark");
  });
});
