import { describe, expect, test } from "vitest";
import { MUPDF, PDFIUM } from "../support/onlookers.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { stamp } from "../support/stamp.ts";
import { CORNER } from "../support/trialMarks.ts";

const BOX = "/MediaBox [0 0 300 400]";
const BOXES = ["[1e2 0 300 400]", "[--5 0 300 400]", "[..5 0 300 400]", "[0 0 300 (x)]", "[0 0 100]", "[0 0 0 0]"];
const SMALL = "[0 0 .5 400]";
const LARGE = "[0 0 99999999999 400]";

/**
 * Returns a PDF with one page. `page` contains additional page entries, and `node` contains those of the page's parent.
 */
function pageOf(page: string, node = ""): Uint8Array {
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count 1 /Kids [3 0 R] ${node} >>`,
    `<< /Type /Page /Contents 4 0 R ${page} >>`,
    streamOf("0.5 g 10 10 100 100 re f"),
    `<< /Type /Pages /Kids [] /MediaBox [0 0 50 50] >>`,
  ]);
}

describe.each([MUPDF, PDFIUM])("$name", (reader) => {
  test.each<[string, Uint8Array]>([
    ["without /Parent", pageOf("", BOX)],
    ["with a wrong /Parent", pageOf("/Parent 5 0 R", BOX)],
    ...[...BOXES, SMALL, LARGE, "null", "9 0 R"].flatMap((box): [string, Uint8Array][] => [
      [`with /MediaBox ${box}`, pageOf(`/Parent 2 0 R /MediaBox ${box}`)],
      [`with /MediaBox ${box} and an inherited /MediaBox`, pageOf(`/Parent 2 0 R /MediaBox ${box}`, BOX)],
      [`with /CropBox ${box}`, pageOf(`/Parent 2 0 R ${BOX} /CropBox ${box}`)],
      [`with an inherited /MediaBox ${box}`, pageOf("/Parent 2 0 R", `/MediaBox ${box}`)],
    ]),
    ...["null", "9 0 R", "[]"].map((resources): [string, Uint8Array] => [
      `with /Resources ${resources} and inherited /Resources`,
      pageOf(`/Parent 2 0 R /Resources ${resources}`, `${BOX} /Resources << /ProcSet [/PDF] >>`),
    ]),
    ["whose MediaBox and CropBox do not overlap", pageOf(`/Parent 2 0 R ${BOX} /CropBox [500 500 600 600]`)],
    ...["45", "135", "89", "90.5", "--90", "(x)", "null", "99999999999"].map((turn): [string, Uint8Array] => [
      `with /Rotate ${turn}`,
      pageOf(`/Parent 2 0 R ${BOX} /Rotate ${turn}`),
    ]),
    ...["0", "-1", "null", "1e5", "(x)"].map((unit): [string, Uint8Array] => [
      `with /UserUnit ${unit}`,
      pageOf(`/Parent 2 0 R ${BOX} /UserUnit ${unit}`),
    ]),
  ])(`${reader.name} shows the mark in the visible corner of a page %s`, async (_, source) => {
    expect(reader.look(await stamp(source), CORNER)).toEqual([true]);
  });
});
