import { PDFiumLibrary } from "@hyzyla/pdfium";
import wasm from "@hyzyla/pdfium/pdfium.wasm";
import type { Picture } from "../../../src/engine/images/picture.ts";
import type { NewObject, ObjectSink, Ref } from "../../../src/engine/pdf/document/newObject.ts";
import { encode } from "../../support/bytes.ts";
import { concat } from "./encodePng.ts";

export type Rgb = readonly [number, number, number];

/** Background color. No test picture contains this green, so transparent pixels are visible. */
export const BACKGROUND: Rgb = [0, 255, 0];

/** Collects the objects that the engine adds, and numbers them from 4. */
export class Sink implements ObjectSink {
  readonly objects: NewObject[] = [];
  readonly pdfa: ObjectSink["pdfa"];
  readonly deviceColors: ReadonlySet<number>;

  constructor({ pdfa, deviceColors = [1, 3, 4] }: { pdfa?: ObjectSink["pdfa"]; deviceColors?: number[] } = {}) {
    this.pdfa = pdfa;
    this.deviceColors = new Set(deviceColors);
  }

  add(object: NewObject): Ref {
    return `${this.objects.push(object) + 3} 0 R` as Ref;
  }

  /** All dictionaries and non-stream objects, joined by line breaks. */
  get text(): string {
    return this.objects.map((object) => (typeof object === "string" ? object : object.dict)).join("\n");
  }

  /** Returns the streams whose dictionary contains `entry`. */
  streams(entry: string): Uint8Array[] {
    return this.objects.flatMap((object) =>
      typeof object !== "string" && object.dict.includes(entry) ? [object.data] : [],
    );
  }
}

/**
 * Renders a picture with PDFium on a page of the same size, at one pixel per point. Returns the pixels row by row from
 * the top.
 */
export function render(picture: Picture, sink = new Sink()): Promise<Rgb[]> {
  const { width, height } = picture;
  const { xobject, matrix } = picture.embed(sink);
  const background = `${BACKGROUND.map((value) => value / 255).join(" ")} rg 0 0 ${width} ${height} re f`;
  const content = `${background} ${width} 0 0 ${height} 0 0 cm ${matrix.join(" ")} cm /I Do`;
  return renderPage(content, { width, height }, `/XObject << /I ${xobject} >>`, sink);
}

/** Renders a page with this content and returns its pixels. */
export async function renderPage(
  content: string,
  { width, height }: { width: number; height: number },
  resources = "",
  sink = new Sink(),
): Promise<Rgb[]> {
  const contents = sink.add({ dict: "", data: encode(content) });
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << ${resources} >> /Contents ${contents} >>`,
    ...sink.objects,
  ];

  const document = await (await pdfium()).loadDocument(assemble(objects));
  const page = await document.getPage(0).render({ scale: 1, render: async ({ data }) => data });
  document.destroy();
  return Array.from({ length: width * height }, (_, i) => [
    page.data[i * 4]!,
    page.data[i * 4 + 1]!,
    page.data[i * 4 + 2]!,
  ]);
}

/** Returns a PDF of these objects without a cross-reference table. Readers rebuild the table. */
function assemble(objects: NewObject[]): Uint8Array {
  const bodies = objects.map((object, i) =>
    typeof object === "string"
      ? encode(`${i + 1} 0 obj\n${object}\nendobj\n`)
      : concat(
          encode(`${i + 1} 0 obj\n<< ${object.dict} /Length ${object.data.length} >>\nstream\n`),
          object.data,
          encode("\nendstream\nendobj\n"),
        ),
  );
  return concat(encode("%PDF-2.0\n"), ...bodies, encode("trailer\n<< /Root 1 0 R >>\n"));
}

let library: Promise<PDFiumLibrary> | undefined;

function pdfium(): Promise<PDFiumLibrary> {
  library ??= PDFiumLibrary.init({ instantiateWasm });
  return library;
}

/**
 * Instantiates the precompiled PDFium module, because workerd cannot compile WebAssembly at run time. PDFium's types
 * omit the instance.
 */
function instantiateWasm(
  imports: WebAssembly.Imports,
  done: (instance: WebAssembly.Instance) => void,
): WebAssembly.Exports {
  const instance = new WebAssembly.Instance(wasm, imports);
  done(instance);
  return instance.exports;
}
