import { PDFDocument as Document, type PDFDict, PDFNumber, PDFObjectParser, type PDFPage, PDFRawStream } from "pdf-lib";
import { Problem } from "../problems.ts";
import type { MemorySource } from "./byteSource.ts";
import type { NewObject, ObjectSink, Ref } from "./objects.ts";

/** A page's geometry, in its default user space (ISO 32000-2, 14.11.2). */
export interface Page {
  /** From 0. */
  readonly index: number;
  /** What readers show: CropBox ∩ MediaBox, x0 < x1 and y0 < y1. */
  readonly box: { x0: number; y0: number; x1: number; y1: number };
  /** Clockwise. */
  readonly rotate: 0 | 90 | 180 | 270;
  /** Points to the unit. */
  readonly userUnit: number;
}

/** An open PDF: its pages, and a place to add objects to. */
export class PdfDocument implements ObjectSink {
  readonly inner: Document;
  readonly pages: readonly Page[];

  constructor(inner: Document) {
    this.inner = inner;
    this.pages = inner.getPages().map(pageOf);
  }

  add(object: NewObject): Ref {
    const { context } = this.inner;
    const parse = (text: string) => PDFObjectParser.forBytes(new TextEncoder().encode(text), context).parseObject();
    const parsed =
      typeof object === "string"
        ? parse(object)
        : PDFRawStream.of(parse(`<< ${object.dict} >>`) as PDFDict, object.data);
    return String(context.register(parsed)) as Ref;
  }
}

/**
 * Opens a PDF.
 * @throws Problem not_a_pdf, damaged_pdf, too_many_pages, password_required
 */
export async function openPdf(
  { data }: MemorySource,
  { maxPages }: { password?: string | undefined; maxPages: number },
): Promise<PdfDocument> {
  if (!new TextDecoder("latin1").decode(data.subarray(0, 1024)).includes("%PDF-"))
    throw new Problem(
      "not_a_pdf",
      "The file does not start like a PDF (%PDF-). Send the PDF itself, or its direct download link.",
    );
  try {
    const inner = await Document.load(data, { updateMetadata: false, ignoreEncryption: true });
    if (inner.isEncrypted)
      throw new Problem("password_required", "The PDF is encrypted. Remove its encryption and send it again.");
    if (inner.getPageCount() === 0) throw new Problem("damaged_pdf", "The file has no pages.");
    if (inner.getPageCount() > maxPages)
      throw new Problem("too_many_pages", `The file has more than ${maxPages} pages.`);
    return new PdfDocument(inner);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(
      "damaged_pdf",
      "The PDF could not be read. Open it in a PDF editor, save it anew and send that.",
      { cause },
    );
  }
}

function pageOf(page: PDFPage, index: number): Page {
  const media = page.getMediaBox(),
    crop = page.getCropBox();
  const box = {
    x0: Math.max(media.x, crop.x),
    y0: Math.max(media.y, crop.y),
    x1: Math.min(media.x + media.width, crop.x + crop.width),
    y1: Math.min(media.y + media.height, crop.y + crop.height),
  };
  const rotate = (((page.getRotation().angle % 360) + 360) % 360) as Page["rotate"];
  const unit = page.node.get(page.node.context.obj("UserUnit") as never);
  return { index, box, rotate, userUnit: unit instanceof PDFNumber ? unit.asNumber() : 1 };
}
