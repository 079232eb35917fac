/** PDF files that tests build in code, and functions that put a magenta square on their pages as a mark. */

import { deflateSync } from "node:zlib";
import { EngineError } from "../../../src/engine/index.ts";
import { type OpenOptions, openPdf } from "../../../src/engine/pdf/document/openPdf.ts";
import type { PdfDocument } from "../../../src/engine/pdf/document/pdfDocument.ts";
import { type OutputPlan, planOutput } from "../../../src/engine/pdf/output/outputPlan.ts";
import { overlay } from "../../../src/engine/pdf/output/overlay.ts";
import type { Page } from "../../../src/engine/pdf/pages/page.ts";
import { type ByteSource, MemorySource, RangeSource } from "../../../src/engine/pdf/source/byteSource.ts";
import { encode, joined } from "../../support/bytes.ts";
import { readerBy } from "../../support/ranges.ts";

/** The text of an object, or a stream's dictionary entries and data. */
type Body = string | { dict?: string; data: string | Uint8Array };
/** Objects of a PDF file, by object number. */
export type Bodies = Record<number, Body>;

export const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Builds a file piece by piece, and records the offsets of its objects. */
export class FileBuilder {
  text: string;
  readonly offsets = new Map<number, number>();

  constructor(head = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n") {
    this.text = head;
  }

  objects(bodies: Bodies): this {
    for (const [num, body] of Object.entries(bodies)) {
      this.offsets.set(Number(num), this.text.length);
      this.text += `${num} 0 obj\n${bodyText(body)}\nendobj\n`;
    }
    return this;
  }

  /**
   * Adds a cross-reference table of the objects `numbers`, its trailer, `startxref` and `%%EOF`. By default, the table
   * lists all objects.
   */
  table({
    trailer = "/Root 1 0 R",
    numbers = [...this.offsets.keys()],
    size,
  }: {
    trailer?: string;
    numbers?: number[];
    size?: number;
  } = {}): this {
    const at = this.text.length;
    this.text += "xref\n0 1\n0000000000 65535 f \n";
    for (const num of numbers) this.text += `${num} 1\n${String(this.offsets.get(num)).padStart(10, "0")} 00000 n \n`;
    this.text += `trailer\n<<${trailer}/Size ${size ?? Math.max(...this.offsets.keys()) + 1}>>\nstartxref\n${at}\n%%EOF\n`;
    return this;
  }

  /** Adds object stream `num` with these members. Returns the members' entries for `xrefStream`. */
  objectStream(num: number, bodies: Record<number, string>): [number, number, number][] {
    let head = "";
    let data = "";
    for (const [member, text] of Object.entries(bodies)) {
      head += `${member} ${data.length} `;
      data += `${text}\n`;
    }
    this.objects({ [num]: flate(`/Type/ObjStm/N ${Object.keys(bodies).length}/First ${head.length}`, head + data) });
    return Object.keys(bodies).map((member, index) => [Number(member), num, index]);
  }

  /**
   * Adds a cross-reference stream as object `num`. The stream lists all objects of the file and the members of object
   * streams. It has a row for each of `objects`, by default for all numbers from 0 to the largest one. If `objects` is
   * set, `trailer` must declare these numbers in /Index.
   */
  xrefStream(num: number, members: [number, number, number][] = [], trailer = "/Root 1 0 R", objects?: number[]): this {
    const at = this.text.length;
    this.offsets.set(num, at);
    const size = Math.max(...this.offsets.keys(), ...members.map(([member]) => member)) + 1;
    const rows = new Uint8Array((objects?.length ?? size) * 6);
    const put = (object: number, kind: number, place: number, detail: number) =>
      rows.set(
        [kind, place >> 16, (place >> 8) & 255, place & 255, detail >> 8, detail & 255],
        (objects?.indexOf(object) ?? object) * 6,
      );
    for (const [object, offset] of this.offsets) put(object, 1, offset, 0);
    for (const [object, stream, index] of members) put(object, 2, stream, index);
    this.objects({ [num]: flate(`/Type/XRef/Size ${size}/W[1 3 2]${trailer}`, rows) });
    this.text += `startxref\n${at}\n%%EOF\n`;
    return this;
  }

  bytes(): Uint8Array {
    return encode(this.text);
  }
}

function flate(dict: string, data: string | Uint8Array): Body {
  return { dict: `${dict}/Filter/FlateDecode`, data: deflateSync(typeof data === "string" ? encode(data) : data) };
}

function bodyText(body: Body): string {
  if (typeof body === "string") return body;
  const data = typeof body.data === "string" ? body.data : latin1(body.data);
  return `<<${body.dict ?? ""}/Length ${data.length}>>\nstream\n${data}\nendstream`;
}

/**
 * Returns the objects of a one-page file: the catalog, the page-tree node and the page as objects 1 to 3, and the
 * contents as object 4. `more` adds or overrides objects.
 */
export function onePage(page = "/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<>>", more: Bodies = {}): Bodies {
  return {
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    3: `<</Type/Page/Parent 2 0 R${page}>>`,
    4: { data: "0 0 1 rg 20 20 60 40 re f" },
    ...more,
  };
}

/** Returns a source that reads `bytes` in byte ranges. */
export const ranges = (bytes: Uint8Array) =>
  new RangeSource(readerBy(bytes.length, async (start, end) => bytes.slice(start, end)));

export const file = (bodies: Bodies) => new FileBuilder().objects(bodies).table().bytes();

/**
 * Returns content operators that draw a magenta square in the displayed bottom-right corner of the page. Its side is a
 * fifth of the displayed page width, but at most the displayed page height.
 */
export function corner({ box, rotate, userUnit }: Page, name: string): string {
  const [w, h] = rotate % 180 === 0 ? [box.x1 - box.x0, box.y1 - box.y0] : [box.y1 - box.y0, box.x1 - box.x0];
  const side = Math.min(w / 5, h);
  const margin = Math.min(24 / userUnit, Math.min(w, h) / 10);
  const [x, y] = [w - side - margin, margin];
  const turned = {
    0: [1, 0, 0, 1, box.x0, box.y0],
    90: [0, 1, -1, 0, box.x1, box.y0],
    180: [-1, 0, 0, -1, box.x1, box.y1],
    270: [0, -1, 1, 0, box.x0, box.y1],
  }[rotate] as [number, number, number, number, number, number];
  const [a, b, c, d, e, f] = turned;
  const matrix = [a * side, b * side, c * side, d * side, a * x + c * y + e, b * x + d * y + f];
  return `q ${matrix.map((value) => value.toFixed(3)).join(" ")} cm /${name} Do Q`;
}

const SQUARE = {
  dict: "/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<>>",
  data: encode("1 0 1 rg 0 0 1 1 re f"),
};

/** Returns a two-page file in which the contents of the second page are far from all other objects. */
export function farContents(contents: Bodies[number]): Uint8Array {
  return file({
    1: "<</Type/Catalog/Pages 2 0 R>>",
    2: "<</Type/Pages/Kids[3 0 R 6 0 R]/MediaBox[0 0 300 400]>>",
    3: "<</Type/Page/Parent 2 0 R/Contents 7 0 R>>",
    6: "<</Type/Page/Parent 2 0 R/Contents 9 0 R>>",
    7: { data: "1 g" },
    8: { data: new Uint8Array(300_000) },
    9: contents,
    10: { data: new Uint8Array(300_000) },
  });
}

export async function open(source: Uint8Array | ByteSource, options: Partial<OpenOptions> = {}): Promise<PdfDocument> {
  return openPdf(source instanceof Uint8Array ? new MemorySource(source) : source, { maxPages: 1000, ...options });
}

/** Plans the output of a file with a magenta square on every page. `change` may change the document before planning. */
export async function plan(
  source: Uint8Array | ByteSource,
  options: Partial<OpenOptions> = {},
  change: (document: PdfDocument) => void = () => {},
): Promise<OutputPlan> {
  const document = await open(source, options);
  change(document);
  const square = document.add(SQUARE);
  await overlay(document, (page, nameOf) => corner(page, nameOf(square)));
  return planOutput(document);
}

/** Returns the output of a file with a magenta square on every page. */
export async function stamp(source: Uint8Array, options: Partial<OpenOptions> = {}): Promise<Uint8Array> {
  return joined((await plan(source, options)).chunks());
}

/** Returns `stamped` if the file can be marked, the code of an EngineError, or the text of any other error. */
export async function outcome(source: Uint8Array): Promise<string> {
  return stamp(source).then(
    () => "stamped",
    (error) => (error instanceof EngineError ? error.code : `unexpected: ${error.stack}`),
  );
}
