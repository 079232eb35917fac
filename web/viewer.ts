import { type PDFDocumentProxy, PDFWorker, type RenderTask, VerbosityLevel } from "pdfjs-dist";
import type { MarkOutline } from "../src/engine/index.ts";
import { type Adjustment, Handles } from "./handles.ts";
import { drawPage, openPdf } from "./pdfjs.ts";

/** A page in the list. It is redrawn when it comes into view, and when the document or the width changes. */
interface Sheet {
  element: HTMLElement;
  number: number;
  inView: boolean;
  /** Document and width in CSS pixels of the latest drawing. */
  drawn?: { document: PDFDocumentProxy; width: number } | undefined;
  task?: RenderTask | undefined;
  /** The frame around the mark. The frame is kept when the page is redrawn, so that a drag continues. */
  handles?: Handles | undefined;
}

/** Shows the pages of a PDF in a scrollable list. Draws only the pages in view. */
export class Viewer {
  readonly #container: HTMLElement;
  readonly #list = document.createElement("ol");
  readonly #worker = new PDFWorker({ verbosity: VerbosityLevel.ERRORS });
  readonly #views: IntersectionObserver;
  readonly #sheets = new Map<Element, Sheet>();
  readonly #adjust: (() => (adjustment: Adjustment) => void) | undefined;
  #document: PDFDocumentProxy | undefined;
  #outlines: readonly MarkOutline[] = [];
  /** Called with the number of the page in view and the number of pages, or with 0 and 0 without pages. */
  onPage: (page: number, pages: number) => void = () => undefined;

  /** @param adjust begins a change of the mark by hand */
  constructor(container: HTMLElement, adjust?: () => (adjustment: Adjustment) => void) {
    this.#container = container;
    this.#adjust = adjust;
    this.#list.className = "sheets";
    this.#views = new IntersectionObserver((entries) => this.#onIntersection(entries), {
      root: container,
      rootMargin: "50% 0px",
    });
    new ResizeObserver(() => this.#drawThoseInView()).observe(this.#list);
    // keeps the mark in view when warnings take space from the preview
    new ResizeObserver(() => this.#showMark()).observe(container);
    container.addEventListener("scroll", () => this.report(), { passive: true });
  }

  /**
   * Replaces the shown document. Visible pages keep their old content until they are redrawn.
   * @param pdf the bytes, whose buffer is transferred
   * @param outlines the place of the mark on the first pages
   */
  async show(pdf: Uint8Array, password: string | undefined, outlines: readonly MarkOutline[] = []): Promise<void> {
    const opened = await openPdf(pdf, password, this.#worker).promise;
    const last = this.#document;
    this.#document = opened;
    this.#outlines = outlines;
    for (const sheet of this.#sheets.values()) if (sheet.handles && !sheet.inView) this.#showHandles(sheet);
    if (this.#sheets.size !== opened.numPages) await this.#layOut(opened);
    await this.#drawThoseInView();
    this.report();
    this.#showMark();
    await last?.loadingTask.destroy();
  }

  /** Removes all pages, because the next document belongs to another file. */
  clear(): void {
    // otherwise, pdf.js would warn of unfinished drawings of a closed document
    for (const { task } of this.#sheets.values()) task?.cancel();
    this.#sheets.clear();
    this.#list.replaceChildren();
    this.report();
  }

  /**
   * Returns a picture of the first page as a data URI, or undefined if the page is not drawn.
   * @param side longest side in pixels
   */
  picture(side: number): string | undefined {
    const page = this.#list.querySelector<HTMLCanvasElement>(".sheet:first-child canvas");
    if (!page) return undefined;
    const scale = side / Math.max(page.width, page.height);
    const small = document.createElement("canvas");
    small.width = Math.max(1, Math.round(page.width * scale));
    small.height = Math.max(1, Math.round(page.height * scale));
    small.getContext("2d")!.drawImage(page, 0, 0, small.width, small.height);
    return small.toDataURL("image/webp", 0.7);
  }

  /** Scrolls to a page. */
  goTo(page: number): void {
    const sheet = [...this.#sheets.keys()][page - 1] as HTMLElement | undefined;
    if (sheet) this.#container.scrollTop = this.#topOf(sheet);
  }

  /** Changes the size of the pages. The factor 1 fits a whole page into the view. The page in view stays in view. */
  zoom(factor: number): void {
    const page = this.#pageInView();
    this.#list.style.setProperty("--zoom", String(factor));
    this.#list.classList.toggle("zoomed", factor > 1);
    this.goTo(page);
    const { scrollWidth, clientWidth } = this.#container;
    this.#container.scrollLeft = (scrollWidth - clientWidth) / 2;
  }

  /** Reports the page in view to {@link onPage}, and lets the Tab key reach the mark of this page. */
  report(): void {
    const page = this.#pageInView();
    this.onPage(page, this.#sheets.size);
    for (const { number, handles } of this.#sheets.values())
      if (handles) handles.element.tabIndex = number === page ? 0 : -1;
  }

  /** Scrolls to the mark of the page in view, if the mark is out of view. */
  #showMark(): void {
    const { element } = [...this.#sheets.values()][this.#pageInView() - 1] ?? {};
    const mark = element?.querySelector(".mark")?.getBoundingClientRect();
    if (!mark) return;
    const page = element!.getBoundingClientRect();
    const view = this.#container.getBoundingClientRect();
    const middle = (mark.top + mark.bottom) / 2;
    const isOffPage = middle < page.top || middle > page.bottom;
    const visible = Math.min(mark.bottom, view.bottom) - Math.max(mark.top, view.top);
    if (isOffPage || visible >= Math.min(mark.height, view.height / 4)) return;
    this.#container.scrollTop += middle - (view.top + view.bottom) / 2;
  }

  /** Returns the number of the page that contains the middle of the view, or the last page above it. */
  #pageInView(): number {
    const sheets = [...this.#sheets.values()];
    const middle = this.#container.scrollTop + this.#container.clientHeight / 2;
    let [low, high] = [0, sheets.length];
    while (low < high) {
      const half = (low + high) >> 1;
      if (this.#topOf(sheets[half]!.element) <= middle) low = half + 1;
      else high = half;
    }
    return sheets.length === 0 ? 0 : Math.max(1, low);
  }

  /** Returns the scroll position at which a sheet and its label are at the top of the view. */
  #topOf(sheet: HTMLElement): number {
    return sheet.offsetTop - this.#list.offsetTop;
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
      // draws the first page without waiting for the observer, because a receipt shows its picture
      this.#sheets.set(element, { element, number, inView: number === 1 });
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
      // frees the canvas, which takes megabytes; keeps the frame, which may have the focus
      for (const child of sheet.element.querySelectorAll("canvas, .banner")) child.remove();
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
      if (sheet.drawn?.document !== opened) return;
      const shown = element.querySelector("canvas");
      if (shown) shown.replaceWith(canvas);
      else element.prepend(canvas, banner());
      this.#showHandles(sheet);
    } catch {
      // no action is needed: the document was replaced, the page left the view, or pdf.js cannot draw the page
    }
  }

  #showHandles(sheet: Sheet): void {
    const outline = this.#outlines[sheet.number - 1];
    if (!outline || !this.#adjust) {
      sheet.handles?.element.remove();
      sheet.handles = undefined;
      return;
    }
    if (sheet.handles) {
      sheet.handles.show(outline);
      return;
    }
    sheet.handles = new Handles(sheet.element, outline, this.#adjust);
    this.report();
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
