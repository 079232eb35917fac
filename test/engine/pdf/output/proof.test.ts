import { describe, expect, it } from "vitest";
import type { Layer } from "../../../../src/engine/pdf/document/layers.ts";
import { Blending } from "../../../../src/engine/pdf/output/blending.ts";
import { planOutput } from "../../../../src/engine/pdf/output/outputPlan.ts";
import { overlay } from "../../../../src/engine/pdf/output/overlay.ts";
import { provePages } from "../../../../src/engine/pdf/output/proof.ts";
import { writeSkeleton } from "../../../../src/engine/pdf/output/skeleton.ts";
import { file, onePage, open } from "../fixture.ts";

const marked = (contents?: string) =>
  markedFile(file(contents ? onePage(`/Contents 5 0 R`, { 5: contents }) : onePage()));

const markedFile = async (bytes: Uint8Array, layer: Layer = "over") => {
  const document = await open(bytes);
  document.layer = layer;
  const form = document.add({ dict: "/Subtype/Form/BBox[0 0 1 1]", data: new Uint8Array() });
  await overlay(document, (_, nameOf) => nameOf(form));
  return { document, skeleton: await writeSkeleton(document, await Blending.of(document)) };
};

const UNMARKED = "page 1 would be written without its mark";

describe("provePages", () => {
  it.each([
    ["a page with a content stream", undefined],
    ["a page with an array of contents", "[4 0 R]"],
  ])("the check of the output plan accepts %s", async (_, contents) => {
    const { document, skeleton } = await marked(contents);
    provePages(document, skeleton, () => true);
  });

  it("the check of the output plan requires a mark under the page's content to come before the content", async () => {
    const { document, skeleton } = await markedFile(file(onePage()), "under");
    provePages(document, skeleton, () => true);
    document.layer = "over";
    expect(() => provePages(document, skeleton, () => true)).toThrow(UNMARKED);
    const over = await marked();
    over.document.layer = "under";
    expect(() => provePages(over.document, over.skeleton, () => true)).toThrow(UNMARKED);
  });

  it("rejects an output plan if a page has no mark", async () => {
    const document = await open(file(onePage()));
    await expect(planOutput(document)).rejects.toThrow(UNMARKED);
  });

  it("rejects an output plan that omits a page", async () => {
    const { document, skeleton } = await marked();
    expect(() => provePages(document, skeleton, (num) => num !== skeleton.leaves[0]!.num)).toThrow(UNMARKED);
  });

  it("rejects an output plan that omits the object of the mark", async () => {
    const { document, skeleton } = await marked();
    const mark = Number(/(\d+) 0 R$/.exec(document.pages[0]!.overlay!.placement)![1]);
    expect(() => provePages(document, skeleton, (num) => num !== mark)).toThrow(UNMARKED);
  });

  it.each([undefined, "[4 0 R]"])(
    "rejects an output plan if a page's contents do not end with the mark: %s",
    async (contents) => {
      const { document, skeleton } = await marked(contents);
      Object.assign(document.pages[0]!.overlay!, { placement: "1 0 R" });
      expect(() => provePages(document, skeleton, () => true)).toThrow(UNMARKED);
    },
  );

  it("rejects an output plan if a page's /Contents lack the mark", async () => {
    const { document, skeleton } = await marked();
    const contents = skeleton.leaves[0]!.splices.find(({ insert }) => insert.includes("/Contents"))!;
    contents.insert = contents.insert.replace("/Contents", "/Contents[4 0 R]/Old");
    expect(() => provePages(document, skeleton, () => true)).toThrow(UNMARKED);
  });
});
