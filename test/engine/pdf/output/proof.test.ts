import { describe, expect, it } from "vitest";
import { planOutput } from "../../../../src/engine/pdf/output/outputPlan.ts";
import { overlay } from "../../../../src/engine/pdf/output/overlay.ts";
import { provePages } from "../../../../src/engine/pdf/output/proof.ts";
import { file, onePage, open } from "../fixture.ts";

const marked = (contents?: string) =>
  markedFile(file(contents ? onePage(`/Contents 5 0 R`, { 5: contents }) : onePage()));

/** Pages that are direct dictionaries of their node: all changes are in the object of the node. */
const markedWithin = (pages: number) =>
  markedFile(
    file({
      1: "<</Type/Catalog/Pages 2 0 R>>",
      2: `<</Type/Pages/Count ${pages}/Kids[${"<</Type/Page/MediaBox[0 0 9 9]>>".repeat(pages)}]>>`,
    }),
  );

const markedFile = async (bytes: Uint8Array) => {
  const document = await open(bytes);
  const form = document.add({ dict: "/Subtype/Form/BBox[0 0 1 1]", data: new Uint8Array() });
  await overlay(document, (_, nameOf) => nameOf(form));
  return document;
};

describe("provePages", () => {
  it.each([
    ["a page with a content stream", undefined],
    ["a page with an array of contents", "[4 0 R]"],
  ])("accepts a plan for %s", async (_, contents) => {
    provePages(await marked(contents), () => true);
  });

  it("rejects a plan whose pages are not marked", async () => {
    const document = await open(file(onePage()));
    await expect(planOutput(document)).rejects.toThrow("page 1 would be written without its mark");
  });

  it("rejects a plan that does not write a page", async () => {
    const document = await marked();
    const page = document.pages[0]!.rewrite.num;
    expect(() => provePages(document, (num) => num !== page)).toThrow("page 1 would be written without its mark");
  });

  it("rejects a plan whose contents end with something other than the mark", async () => {
    const document = await marked();
    Object.assign(document.pages[0]!, { placement: "1 0 R" });
    expect(() => provePages(document, () => true)).toThrow("page 1 would be written without its mark");
  });

  it("rejects a plan if one of the pages in an object has no mark", async () => {
    const document = await markedWithin(3);
    const { splices } = document.pages[1]!.rewrite;
    const isPlacement = ({ insert }: { insert: string }) => insert.endsWith(`${document.pages[1]!.placement}]`);
    splices.filter(isPlacement)[1]!.insert = "";
    expect(() => provePages(document, () => true)).toThrow("would be written without its mark");
  });

  it("inspects the changes of an object once for all of its pages", async () => {
    const document = await markedWithin(100);
    const { splices } = document.pages[0]!.rewrite;
    let looks = 0;
    for (const splice of splices) {
      const { insert } = splice;
      const get = () => {
        looks++;
        return insert;
      };
      Object.defineProperty(splice, "insert", { get });
    }
    provePages(document, () => true);
    expect(looks).toBe(splices.length);
  });
});
