import { PDFArray, PDFDict, PDFName, PDFRef } from "pdf-lib";
import type { Page, PdfDocument } from "./document.ts";
import type { Ref } from "./objects.ts";

/**
 * Lays form XObjects over every page. `content` gives the operators that place them; `names` are the ones to invoke them by,
 * in the order of `xobjects`. The page's own content is wrapped, so that the graphics state it leaves cannot move the mark.
 */
export function overlay(
  document: PdfDocument,
  xobjects: readonly Ref[],
  content: (page: Page, names: readonly string[]) => string,
): void {
  const { inner } = document;
  const { context } = inner;
  const stream = (text: string) => refOf(document.add({ dict: "", data: new TextEncoder().encode(text) }));
  const known = new Map<PDFDict, string[]>();
  const before = stream("q\n");

  inner.getPages().forEach((page, index) => {
    const { node } = page;
    const resources = node.Resources() ?? context.obj({});
    const forms = resources.lookupMaybe(PDFName.of("XObject"), PDFDict) ?? context.obj({});
    let names = known.get(forms);
    if (!names) {
      names = xobjects.map((ref) => {
        const name = forms.uniqueKey("Overprint");
        forms.set(name, refOf(ref));
        return name.decodeText();
      });
      known.set(forms, names);
    }
    resources.set(PDFName.of("XObject"), forms);
    node.set(PDFName.of("Resources"), resources);

    const operators = `\nQ\n/Artifact << /Type /Pagination /Subtype /Watermark >> BDC\n${content(document.pages[index]!, names)}\nEMC\n`;
    const own = node.get(PDFName.of("Contents"));
    const contents = own instanceof PDFRef ? context.lookup(own) : own;
    const parts = contents instanceof PDFArray ? contents.asArray() : own ? [own] : [];
    node.set(PDFName.of("Contents"), context.obj([before, ...parts, stream(operators)]));
  });
}

function refOf(ref: Ref): PDFRef {
  const [number, generation] = ref.split(" ").map(Number) as [number, number];
  return PDFRef.of(number, generation);
}
