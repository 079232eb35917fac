import { describe, expect, test } from "vitest";
import { OWN, withOwnNames } from "../support/ownNames.ts";
import { pdfOf, streamOf } from "../support/pdf.ts";
import { stamp } from "../support/stamp.ts";
import { render } from "./render.ts";

const isMagenta = ([r, g, b]: [number, number, number]) => r > 230 && g < 25 && b > 230;
const SCALE = 0.2;

/**
 * Marks a PDF. Expects a mark of the right size in the visible lower right corner of every page, and otherwise
 * unchanged pages.
 */
async function expectMarked(source: Uint8Array, pages: number): Promise<Uint8Array> {
  const output = await stamp(source);
  const [before, after] = [await render(source), await render(output)];
  expect(after).toHaveLength(pages);
  expect(before).toHaveLength(pages);
  for (const [index, page] of after.entries()) {
    const box = page.boxOf(isMagenta);
    expect(box, `page ${index + 1} shows the mark`).toBeDefined();
    const { width, height } = page,
      margin = 0.12;
    const side = Math.min(SCALE * width, height * 0.8);
    expect(Math.abs((box!.right - box!.left) * width - side), "width of the mark").toBeLessThan(3);
    expect(Math.abs((box!.bottom - box!.top) * height - side), "height of the mark").toBeLessThan(3);
    expect(1 - box!.right).toBeLessThan(margin);
    expect(1 - box!.bottom).toBeLessThan(margin);
    expect(page.changedOutside(box!, before[index]!), "pixels changed outside the mark").toBeLessThan(
      width * height * 0.0005 + 6,
    );
  }
  return output;
}

/**
 * Content with a large rectangle and a diagonal line. A square in the rectangle's upper right corner shows how the page
 * is rotated.
 */
const SCENE = "0.8 0.9 1 rg 100 100 300 500 re f 0 0.5 0 rg 350 550 50 50 re f 0 0 0 RG 3 w 100 100 m 400 600 l S";

interface Variant {
  page?: string;
  pages?: string;
  contents?: string[];
  objects?: string[];
  catalog?: string;
}

/**
 * Returns a PDF with one page. `contents` are the page's content streams, numbered from object 4. `objects` are the
 * objects after the content streams.
 */
function pageOf({ page = "", pages = "", contents = [SCENE], objects = [], catalog = "" }: Variant): Uint8Array {
  const refs = contents.map((_, index) => `${index + 4} 0 R`).join(" ");
  const own = page.includes("/Contents") ? "" : `/Contents ${contents.length === 1 ? refs : `[${refs}]`}`;
  const box = /MediaBox/.test(page + pages) ? "" : "/MediaBox [0 0 500 700]";
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count 1 /Kids [3 0 R] ${pages} >>`,
    `<< /Type /Page /Parent 2 0 R ${box} ${own} ${page} >>`,
    ...contents.map((content) => streamOf(content)),
    ...objects,
  ]);
}

describe("a page's geometry", () => {
  test.each<[string, Variant]>([
    ...[0, 90, 180, 270, -90, -180, 360, 450].map((rotate): [string, Variant] => [
      `/Rotate ${rotate}`,
      { page: `/Rotate ${rotate}` },
    ]),
    ["/Rotate inherited", { pages: "/Rotate 90" }],
    ["/Rotate an indirect object", { page: "/Rotate 5 0 R", objects: ["270"] }],
    ["/MediaBox inherited", { pages: "/MediaBox [0 0 500 700]" }],
    ["/MediaBox an indirect object", { page: "/MediaBox 5 0 R", objects: ["[0 0 500 700]"] }],
    ["/MediaBox of indirect numbers", { page: "/MediaBox [0 0 5 0 R 6 0 R]", objects: ["500", "700"] }],
    ["/MediaBox off the origin", { page: "/MediaBox [-50 80 450 780]" }],
    ["/MediaBox with corners reversed", { page: "/MediaBox [500 700 0 0]" }],
    ["/CropBox off the origin", { page: "/CropBox [120 150 420 620]" }],
    ["/CropBox off the origin with /Rotate 90", { page: "/CropBox [120 150 420 620] /Rotate 90" }],
    ["/CropBox with corners reversed", { page: "/CropBox [420 620 120 150]" }],
    ["/CropBox reaching past the MediaBox", { page: "/CropBox [-100 -100 450 900]" }],
    ["/CropBox inherited", { pages: "/CropBox [120 150 420 620]" }],
    ["/TrimBox inset by 8 points", { page: "/TrimBox [8 8 492 692] /ArtBox [210 210 290 290]" }],
    ["/UserUnit", { page: "/UserUnit 2" }],
    ["a wide page", { page: "/MediaBox [0 0 1000 200]", contents: ["0.8 g 100 50 200 100 re f"] }],
  ])("the engine marks the visible lower right corner of a page with this geometry: %s", async (_, variant) => {
    await expectMarked(pageOf(variant), 1);
  });
});

describe("state left behind by a page's content", () => {
  const hidden = "/OCProperties << /OCGs [5 0 R] /D << /OFF [5 0 R] >> >>";
  test.each<[string, Variant]>([
    ["an open q", { contents: [`q 0.5 0 0 0.5 20 20 cm ${SCENE}`] }],
    ["eight open q", { contents: [`${"q 0.9 0 0 0.9 5 5 cm ".repeat(8)} ${SCENE}`] }],
    ["an extra Q", { contents: [`${SCENE} Q`] }],
    ["extra Q before and after the content", { contents: [`Q Q ${SCENE} Q Q Q`] }],
    ["an open cm", { contents: [`2 0 0 2 0 0 cm 0.8 g 20 20 100 100 re f`] }],
    ["a singular cm", { contents: [`${SCENE} 0 0 0 0 0 0 cm`] }],
    ["an open BT", { contents: [`${SCENE} BT 1 0 0 1 300 300 Tm`] }],
    ["an open BT that clips", { contents: [`${SCENE} BT 7 Tr 1 0 0 1 300 300 Tm`] }],
    ["an open BMC", { contents: [`/Span BMC ${SCENE}`] }],
    [
      "an open BDC of a hidden layer",
      {
        contents: [`${SCENE} /OC /Layer BDC`],
        page: "/Resources << /Properties << /Layer 5 0 R >> >>",
        objects: ["<< /Type /OCG /Name (Off) >>"],
        catalog: hidden,
      },
    ],
    ["an extra EMC", { contents: [`${SCENE} EMC`] }],
    ["a clip", { contents: [`${SCENE} 10 10 20 20 re W n`] }],
    ["an unfinished path", { contents: [`${SCENE} 0 0 m 500 700 l 0 700 l`] }],
    ["a pending clip", { contents: [`${SCENE} 10 10 20 20 re W`] }],
    [
      "a transparent state",
      {
        contents: [`${SCENE} /Faint gs`],
        page: "/Resources << /ExtGState << /Faint << /ca 0.1 /CA 0.1 /BM /Multiply >> >> >>",
      },
    ],
    ["a color and a dash", { contents: [`${SCENE} 0 1 0 rg [3 3] 0 d 1 0 0 1 100 100 cm`] }],
  ])("the mark looks the same if the page's content contains %s", async (_, variant) => {
    await expectMarked(pageOf(variant), 1);
  });
});

describe("a page's /Contents", () => {
  test.each<[string, Variant]>([
    ["absent", { page: "/Contents null", contents: [] }],
    ["an empty array", { page: "/Contents []", contents: [] }],
    ["an array", { contents: [SCENE, "1 0 0 rg 10 600 50 50 re f"] }],
    ["an array that splits a command", { contents: ["0.8 0.9 1 r", "g 100 100 300 500 re f"] }],
    ["an array that splits between operands", { contents: ["0.8 0.9", "1 rg 100 100", "300 500 re f"] }],
    ["an indirect array", { page: "/Contents 5 0 R", objects: ["[4 0 R]"] }],
    ["a reference to a missing object", { page: "/Contents 99 0 R", contents: [] }],
    ["an array with one stream twice", { page: "/Contents [4 0 R 4 0 R]" }],
    ["a stream without white space at its end", { contents: [`${SCENE}\n0 0 m 9 9 l S`] }],
  ])("the engine marks a page whose /Contents is %s", async (_, variant) => {
    await expectMarked(pageOf(variant), 1);
  });

  test("the engine marks two pages of different sizes that share a content stream", async () => {
    const source = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 700] /Contents 5 0 R >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 400] /Contents 5 0 R >>",
      streamOf(SCENE),
    ]);
    await expectMarked(source, 2);
  });

  test("the engine marks a page that is listed twice in the page tree", async () => {
    const source = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Count 2 /Kids [3 0 R 3 0 R] >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 700] /Contents 4 0 R >>",
      streamOf(SCENE),
    ]);
    await expectMarked(source, 2);
  });
});

describe("a page's /Resources", () => {
  const form = `<< /Type /XObject /Subtype /Form /BBox [0 0 100 100] /Length 29 >>\nstream\n1 0.5 0 rg 0 0 100 100 re f  \nendstream`;
  const drawn = `${SCENE} q 1 0 0 1 150 350 cm /Fm0 Do Q`;
  test.each<[string, Variant]>([
    ["missing", {}],
    ["empty", { page: "/Resources << >>" }],
    ["direct", { page: "/Resources << /XObject << /Fm0 5 0 R >> >>", contents: [drawn], objects: [form] }],
    ["indirect", { page: "/Resources 6 0 R", contents: [drawn], objects: [form, "<< /XObject << /Fm0 5 0 R >> >>"] }],
    [
      "a dictionary with an indirect XObject dictionary",
      { page: "/Resources << /XObject 6 0 R >>", contents: [drawn], objects: [form, "<< /Fm0 5 0 R >>"] },
    ],
    ["inherited", { pages: "/Resources << /XObject << /Fm0 5 0 R >> >>", contents: [drawn], objects: [form] }],
    [
      "inherited and indirect",
      { pages: "/Resources 6 0 R", contents: [drawn], objects: [form, "<< /XObject << /Fm0 5 0 R >> >>"] },
    ],
    [
      "a dictionary that already uses Overprint's names",
      {
        page: `/Resources << /XObject << ${["", "0", "1", "1x0", "2x"]
          .map((end) => OWN + end)
          .concat("Fm0")
          .map((name) => `/${name} 5 0 R`)
          .join(" ")} >> >>`,
        contents: [drawn],
        objects: [form],
      },
    ],
    ["null", { page: "/Resources null" }],
    ["a reference to a missing object", { page: "/Resources 99 0 R" }],
  ])("the engine marks a page whose /Resources entry is %s", async (_, variant) => {
    await expectMarked(withOwnNames(pageOf(variant)), 1);
  });

  test("marking adds less than 60 KB to a file whose 200 pages inherit a large /Resources", async () => {
    const fonts = Array.from(
      { length: 60 },
      (_, index) => `/F${index} << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>`,
    ).join(" ");
    const source = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Count 200 /MediaBox [0 0 200 300] /Resources << /Font << ${fonts} >> >> /Kids [${Array.from({ length: 200 }, (_, i) => `${i + 4} 0 R`).join(" ")}] >>`,
      streamOf("0.8 g 20 20 50 50 re f"),
      ...Array.from({ length: 200 }, () => "<< /Type /Page /Parent 2 0 R /Contents 3 0 R >>"),
    ]);
    const output = await expectMarked(source, 200);
    expect(output.length - source.length).toBeLessThan(60_000);
  });
});
