/** Pages that test how readers draw content with one unusual or malformed operation. */
import { pdfOf, streamOf } from "../../test/support/pdf.ts";

/** Side of the square pages, in points. */
export const SIDE = 200;
/** A test page: its name, which describes the case, and its content. */
export interface OperatorPage {
  readonly name: string;
  readonly content: string;
}

const LINES = "q 0.8 g 60 60 80 3 re 60 90 80 3 re f Q\n";
const PATH = ["10 10 m ", " 20 20 l n\n"] as const;
const PAINTED = ["10 10 m 20 20 l ", "\n"] as const;
const TEXT = ["BT /F0 12 Tf 20 20 Td ", " (w) Tj ET\n"] as const;
const PAGE = ["", "\n"] as const;

/** Operators with example operands, grouped by the content that must precede and follow them. */
const EXAMPLES: [around: readonly [before: string, after: string], operators: string[]][] = [
  [
    PAGE,
    [
      ...["1 w", "1 J", "1 j", "10 M", "[3 1] 0 d", "/Perceptual ri", "50 i", "/G0 gs", "q", "Q", "1 0 0 1 5 5 cm"],
      ...["/DeviceRGB CS", "/DeviceRGB cs", "0 SC", "0 sc", "0 SCN", "0 scn", "0 G", "0 g", "1 0 0 RG", "1 0 0 rg"],
      ...[
        "1 0 0 0 K",
        "1 0 0 0 k",
        "/Sh0 sh",
        "/Fm0 Do",
        "/Tag MP",
        "/Tag /MC0 DP",
        "/Tag BMC",
        "/Tag /MC0 BDC",
        "EMC",
      ],
      ...[
        "BX",
        "EX",
        "10 10 m",
        "10 10 9 9 re",
        "BT",
        "ET",
        "1 Tc",
        "1 Tw",
        "90 Tz",
        "12 TL",
        "/F0 12 Tf",
        "0 Tr",
        "1 Ts",
      ],
      ...["BI", "ID", "EI", "9 0 d0", "9 0 0 0 9 9 d1", "foo", "S", "f", "n"],
    ],
  ],
  [PATH, ["30 30 l", "9 9 30 30 50 50 c", "9 9 30 30 v", "9 9 30 30 y", "h", "W", "W*"]],
  [PAINTED, ["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"]],
  [
    TEXT,
    [
      ...["9 9 Td", "9 9 TD", "1 0 0 1 9 9 Tm", "T*", "(word) Tj", "[(wo) -20 (rd)] TJ", "(word) '", '1 1 (word) "'],
      ...["1 Tc", "1 Tw", "90 Tz", "12 TL", "/F0 12 Tf", "3 Tr", "1 Ts", "0 g", "/Tag /MC0 BDC"],
    ],
  ],
];

const WRONG = ["7", "/Name", "(string)", "[1 2]", "[[1]]", "<</A 1>>", "null"];
const HUGE = ["2147483648", "-99999999999", `${"9".repeat(50)}`, `0.${"0".repeat(60)}1`, "1e99", "-", "--1"];
/** Operators with a value outside the allowed range. */
const OUT_OF_RANGE = [
  "-7 w",
  "7 J",
  "-1 j",
  "1.5 J",
  "0 M",
  "[-1 1] 0 d",
  "[0 0] 0 d",
  "/Name ri",
  "-7 i",
  "0 0 0 0 0 0 cm",
];
OUT_OF_RANGE.push("7 -7 7 rg", "0 Tz", "/F0 0 Tf", "/F0 -5 Tf", "9 Tr", "/None gs", "/None Do", "/None sh", "/None cs");
const NUMBERS = "1 2 3 4 5 6 7 8 9 10 11 ";

/** Splits an operator's example into operands and the operator. */
function parsed(example: string): { operands: string[]; operator: string } {
  const tokens = example.match(/\[.*\]|\(.*?\)|\S+/g)!;
  return { operands: tokens.slice(0, -1), operator: tokens.at(-1)! };
}

/** Yields variants of an example by name: unchanged, repeated, and with missing, additional, wrong and huge operands. */
function* variants(example: string): Generator<[name: string, text: string]> {
  const { operands, operator } = parsed(example);
  const withOperands = (list: readonly string[]) => [...list, operator].join(" ");
  yield ["right", example];
  yield ["12 times", `${example} `.repeat(12)];
  yield ["101 times", `${example} `.repeat(101)];
  if (operands.length > 0) {
    yield ["no operands", operator];
    yield ["no operands, 12 times", `${operator} `.repeat(12)];
    yield ["no operands, 101 times", `${operator} `.repeat(101)];
  }
  if (operands.length > 1) {
    yield ["first missing", withOperands(operands.slice(1))];
    yield ["last missing", withOperands(operands.slice(0, -1))];
  }
  yield ["one too many", `7 ${example}`];
  yield ["33 too many", NUMBERS.repeat(3) + example];
  yield ["a name too many", `${withOperands([...operands, "/Name"])}`];
  for (const [i, operand] of operands.entries()) {
    if (i > 0 && i < operands.length - 1) continue;
    for (const wrong of WRONG) yield [`operand ${i + 1} ${wrong}`, withOperands(operands.with(i, wrong))];
    if (/^[-\d]/.test(operand))
      for (const huge of HUGE) yield [`operand ${i + 1} ${huge.slice(0, 12)}`, withOperands(operands.with(i, huge))];
  }
}

/**
 * Returns the test pages. Each variant of an example yields two pages: one with the variant in the middle of the
 * content, and one with it at the end.
 */
export function operatorPages(): OperatorPage[] {
  const outOfRange = OUT_OF_RANGE.map((text) => ({
    name: `${text}, out of range`,
    content: `${LINES}${text}\n${LINES}`,
  }));
  const inOperands = EXAMPLES.flatMap(([[before, after], examples]) =>
    examples.flatMap((example) =>
      Array.from(variants(example)).flatMap(([variant, text]) => [
        { name: `${example}, ${variant}, in the middle`, content: LINES + before + text + after + LINES },
        { name: `${example}, ${variant}, at the end`, content: LINES + before + text },
      ]),
    ),
  );
  return [...outOfRange, ...inOperands];
}

/** Returns a PDF that consists of `pages`. */
export function pdfOfPages(pages: readonly OperatorPage[]): Uint8Array<ArrayBuffer> {
  const first = 8;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(" ");
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [4 0 R] /D << /Order [4 0 R] >> >> >>",
    `<< /Type /Pages /Count ${pages.length} /MediaBox [0 0 ${SIDE} ${SIDE}] /Resources 3 0 R /Kids [${kids}] >>`,
    "<< /Font << /F0 5 0 R >> /XObject << /Fm0 6 0 R >> /ExtGState << /G0 << /ca 0.5 >> >> /Shading << /Sh0 7 0 R >> /Properties << /MC0 4 0 R >> >>",
    "<< /Type /OCG /Name (layer) >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    streamOf("0.5 g 90 10 9 9 re f", `/Type /XObject /Subtype /Form /BBox [0 0 ${SIDE} ${SIDE}]`),
    "<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 9] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0.9] /C1 [1] >> >>",
    ...pages.flatMap(({ content }, index) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${first + 2 * index + 1} 0 R >>`,
      streamOf(content),
    ]),
  ]);
}
