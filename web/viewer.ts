import { type PDFDocumentProxy, PDFWorker, type RenderTask } from "pdfjs-dist";
import { drawPage, openPdf } from "./pdfjs.ts";

/** A page in the list. It is redrawn when it comes into view, and when the document or the width changes. */
interface Sheet {
  element: HTMLElement;
  number: number;
  inView: boolean;
  /** Document and width in CSS pixels of the latest drawing. */
  drawn?: { document: PDFDocumentProxy; width: number } | undefined;
  task?: RenderTask | undefined;
}

/** Shows the pages of a PDF in a scrollable list. Draws only the pages in view. */
export class Viewer {
  readonly #container: HTMLElement;
  readonly #list = document.createElement("ol");
  readonly #worker = new PDFWorker();
  readonly #views: IntersectionObserver;
  readonly #sheets = new Map<Element, Sheet>();
  #document: PDFDocumentProxy | undefined;

  constructor(container: HTMLElement) {
    this.#container = container;
    this.#list.className = "sheets";
    this.#views = new IntersectionObserver((entries) => this.#onIntersection(entries), {
      root: container,
      rootMargin: "50% 0px",
    });
    new ResizeObserver(() => this.#drawThoseInView()).observe(this.#list);
  }

  /**
   * Replaces the shown document. Visible pages keep their old content until they are redrawn.
   * @param pdf the bytes, whose buffer is transferred
   */
  async show(pdf: Uint8Array, password: string | undefined): Promise<void> {
    const opened = await openPdf(pdf, password, this.#worker).promise;
    const last = this.#document;
    this.#document = opened;
    if (this.#sheets.size !== opened.numPages) await this.#layOut(opened);
    await this.#drawThoseInView();
    await last?.loadingTask.destroy();
  }

  /** Removes all pages, because the next document belongs to another file. */
  clear(): void {
    this.#sheets.clear();
    this.#list.replaceChildren();
  }

  /** Creates an empty sheet for each page. Until a sheet is drawn, it has the shape of the first page. */
  async #layOut(opened: PDFDocumentProxy): Promise<void> {
    const { width, height } = (await opened.getPage(1)).getViewport({ scale: 1 });
    this.#views.disconnect();
    this.clear();
    for (let number = 1; number <= opened.numPages; number++) {
      const element = document.createElement("li");
      element.className = "sheet";
      shape(element, width / height);
      this.#sheets.set(element, { element, number, inView: false });
    }
    this.#list.append(...this.#sheets.keys());
    if (!this.#list.isConnected) this.#container.replaceChildren(this.#list);
    this.#container.scrollTop = 0;
    for (const element of this.#sheets.keys()) this.#views.observe(element);
  }

  #onIntersection(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const sheet = this.#sheets.get(target);
      if (!sheet) continue;
      sheet.inView = isIntersecting;
      if (isIntersecting) continue;
      sheet.task?.cancel();
      sheet.drawn = undefined;
      sheet.element.replaceChildren(); // frees the canvas, which takes megabytes
    }
    this.#drawThoseInView();
  }

  async #drawThoseInView(): Promise<void> {
    await Promise.all([...this.#sheets.values()].map((sheet) => sheet.inView && this.#draw(sheet)));
  }

  async #draw(sheet: Sheet): Promise<void> {
    const opened = this.#document!;
    const { element, number } = sheet;
    if (sheet.drawn?.document === opened && sheet.drawn.width === element.clientWidth) return;
    const drawn = { document: opened, width: element.clientWidth };
    sheet.drawn = drawn;
    sheet.task?.cancel();
    try {
      const page = await opened.getPage(number);
      const natural = page.getViewport({ scale: 1 });
      shape(element, natural.width / natural.height);
      drawn.width = element.clientWidth; // setting the aspect ratio may change the width
      const { canvas, task } = drawPage(page, opened.numPages, drawn.width);
      sheet.task = task;
      await task.promise;
      if (sheet.drawn?.document === opened) element.replaceChildren(canvas, banner());
    } catch {
      // no action is needed: the document was replaced, the page left the view, or pdf.js cannot draw the page
    }
  }
}

/** Sets a sheet's aspect ratio: page width divided by height. */
function shape(element: HTMLElement, ratio: number): void {
  element.style.setProperty("--ratio", String(ratio));
}

/** Creates the banner of a page: a label above the page, and a layer that keeps the pointer off the canvas. */
function banner(): HTMLElement {
  const element = document.createElement("span");
  element.className = "banner";
  element.dataset.word = "Preview";
  element.ariaHidden = "true";
  return element;
}
