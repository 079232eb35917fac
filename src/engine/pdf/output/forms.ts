/** Turns the isolated content of pages into form XObjects (ISO 32000-2, 8.10). */
import { deflate } from "#platform/zlib";
import { encodeLatin1 } from "../../bytes.ts";
import type { Ref } from "../document/newObject.ts";
import type { PdfDocument } from "../document/pdfDocument.ts";
import type { FormSource, IsolatedContent } from "../pages/isolation.ts";
import { Rewrite, sharedContent } from "../pages/rewrite.ts";

/** Creates the form XObjects of a document, and shares them between pages. */
export class Forms {
  readonly #document: PdfDocument;
  /** References to forms that replace a content stream and have its object number. The key is this number. */
  readonly #kept = new Map<number, Ref>();
  readonly #copies = new Map<string, Ref>();
  readonly #known = new Map<IsolatedContent, Ref[]>();

  constructor(document: PdfDocument) {
    this.#document = document;
  }

  /**
   * Returns the references to the forms that draw the content of a page, in order.
   * @throws EngineError damaged_pdf if a content stream is also another part of the document
   */
  of(content: IsolatedContent): Ref[] {
    const known = this.#known.get(content) ?? this.#formsOf(content);
    this.#known.set(content, known);
    return known;
  }

  #formsOf({ forms, joined, resources, box }: IsolatedContent): Ref[] {
    const reference = resources ? this.#document.referenceTo(resources) : "<<>>";
    const entries = `/Type/XObject/Subtype/Form/BBox${box}/Resources ${reference}`;
    if (joined) return [this.#document.add({ dict: `${entries}/Filter/FlateDecode`, data: deflate(joined) })];
    return forms.map((form) => (form.copy ? this.#copy(form, form.copy, entries) : this.#keep(form, entries)));
  }

  /** Returns the reference to a form that has the object number and the data of a content stream. */
  #keep({ num, coding, data }: FormSource, entries: string): Ref {
    const known = this.#kept.get(num);
    if (known) return known;
    const { rewrites } = this.#document;
    if (rewrites.get(num) && !rewrites.isStream(num)) throw sharedContent();
    const head = `<<${entries}${coding}/Length ${data.end - data.start}>>\nstream\n`;
    const form = new Rewrite(num, encodeLatin1(head), data);
    form.rewriteUnchanged();
    rewrites.add(form);
    const reference = this.#document.referenceTo(form);
    this.#kept.set(num, reference);
    return reference;
  }

  #copy({ num, coding }: FormSource, data: Uint8Array, entries: string): Ref {
    const key = `${num} ${entries}`;
    const known = this.#copies.get(key) ?? this.#document.add({ dict: entries + coding, data });
    this.#copies.set(key, known);
    return known;
  }
}
