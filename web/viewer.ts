import { type PDFDocumentProxy, PDFWorker, type RenderTask } from "pdfjs-dist";
import { drawPage, openPdf } from "./pdfjs.ts";

/** A page in the list: drawn while it is in view, and again when the document has changed. */
interface Sheet {
  element: HTMLElement;
  number: number;
  inView: boolean;
  /** The document and the width it was last drawn for. */
  drawn?: { document: PDFDocumentProxy; width: number } | undefined;
  task?: RenderTask | undefined;
}

/** Shows the pages of a PDF, one above the other. Only those in view are drawn. */
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
    this.#views = new IntersectionObserver((entries) => this.#look(entries), {
      root: container,
      rootMargin: "50% 0px",
    });
    new ResizeObserver(() => this.#drawThoseInView()).observe(this.#list);
  }

  /**
   * Shows a document in place of the last one. Pages that are in view stay as they were until they are drawn anew.
   * @param pdf its bytes, which are used up
   */
  async show(pdf: Uint8Array, password: string | undefined): Promise<void> {
    const opened = await openPdf(pdf, password, this.#worker).promise;
    const last = this.#document;
    this.#document = opened;
    if (this.#sheets.size !== opened.numPages) await this.#layOut(opened);
    await this.#drawThoseInView();
    await last?.loadingTask.destroy();
  }

  /** Takes the pages away: those of the next document are of another file. */
  clear(): void {
    this.#sheets.clear();
    this.#list.replaceChildren();
  }

  /** Makes an empty sheet for each page, of the first one's shape until it is looked at. */
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

  #look(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const sheet = this.#sheets.get(target);
      if (!sheet) continue;
      sheet.inView = isIntersecting;
      if (isIntersecting) continue;
      sheet.task?.cancel();
      sheet.drawn = undefined;
      sheet.element.replaceChildren(); // a canvas takes megabytes
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
      drawn.width = element.clientWidth; // which may be another in its own shape
      const { canvas, task } = drawPage(page, opened.numPages, drawn.width);
      sheet.task = task;
      await task.promise;
      if (sheet.drawn?.document === opened) element.replaceChildren(canvas, banner());
    } catch {
      // another document took its place, it went out of view, or pdf.js cannot draw it
    }
  }
}

/** Gives a sheet its shape: the width of a page over its height. */
function shape(element: HTMLElement, ratio: number): void {
  element.style.setProperty("--ratio", String(ratio));
}

/** What lies over each page: it tells the preview from the file, and keeps the canvas from the pointer. */
function banner(): HTMLElement {
  const element = document.createElement("span");
  element.className = "banner";
  element.dataset.word = "Preview";
  element.ariaHidden = "true";
  return element;
}
