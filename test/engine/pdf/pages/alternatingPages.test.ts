import { expect, test } from "vitest";
import { markBoxes } from "../../../support/markBoxes.ts";
import { pagesOf } from "../../../support/pdf.ts";

/** Pages that differ in one entry each, with texts of equal length. */
const KINDS = [
  "/MediaBox [0 0 200 300] /Resources << /ExtGState << /G 9 0 R >> >>",
  "/MediaBox [0 0 300 200] /Resources << /ExtGState << /G 9 0 R >> >>",
  "/MediaBox [0 0 300 200] /CropBox [50 0 250 200] /Resources << /XObject << /G 9 0 R >> >>",
  "/MediaBox [0 0 300 200] /CropBox [90 0 250 200] /Resources << /XObject << /H 9 0 R >> >>",
  "/MediaBox [0 0 300 200] /TrimBox [50 50 250 150] /Resources << /XObject <<>> /XObject << /H 9 0 R >> >>",
  "/MediaBox [0 0 300 200] /TrimBox [90 50 250 150] /Resources << >>",
];

test("marks are at the same places on pages of alternating kinds as on files of one kind", async () => {
  const mark = { position: "bottom-right", scale: 0.2 } as const;
  const alone = await Promise.all(KINDS.map(async (kind) => (await markBoxes(pagesOf([kind, kind]), mark))[1]));
  expect(new Set(alone.map(String)).size).toBeGreaterThan(3);
  const order = [0, 1, 0, 2, 3, 2, 2, 4, 5, 4, 1, 5, 3, 0, 0];
  expect(await markBoxes(pagesOf(order.map((kind) => KINDS[kind]!)), mark)).toEqual(order.map((kind) => alone[kind]));
});
