/** Lets the visitor move, turn and scale the mark on the page, with the pointer or the keyboard. */
import type { MarkOutline } from "../src/engine/index.ts";
import { sidesOf } from "./handleSides.ts";
import { centerOf, shapeOf, turnedBy } from "./markGeometry.ts";

/** A change of the mark by hand. Lengths are points of the page as displayed. `snap` is a distance or an angle. */
export type Adjustment =
  | { kind: "move"; outline: MarkOutline; by: { x: number; y: number }; snap: number }
  | { kind: "turn"; outline: MarkOutline; by: number; snap: number }
  | { kind: "scale"; outline: MarkOutline; by: number };

/** Maximum distance in CSS pixels at which a mark snaps to a place. */
const SNAP_PX = 8;
/** Maximum difference in degrees at which a dragged mark snaps to a multiple of 15 degrees. */
const SNAP_DEGREES = 3;
/** Distance between the mark and the outer edge of its frame in CSS pixels. `styles/marking.css` has the same value. */
const FRAME_PX = 5.5;
/** Visible distance above and below a page in CSS pixels. */
const GAP_PX = 20;
/** Steps per key press: a distance in points (ten times as far with Shift), a scale factor, and an angle in degrees. */
const STEP = { move: 1, scale: 1.05, turn: 5 };
const ARROWS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

/** The frame around the mark of a page, with a handle to turn and a handle to scale. */
export class Handles {
  readonly element = document.createElement("div");
  readonly #begin: () => (adjustment: Adjustment) => void;
  #outline: MarkOutline;
  #isDragging = false;

  /**
   * Shows the frame on a page.
   * @param sheet the element of the page
   * @param begin begins a change; the returned function is called with each step of the change
   */
  constructor(sheet: HTMLElement, outline: MarkOutline, begin: () => (adjustment: Adjustment) => void) {
    this.#begin = begin;
    this.#outline = outline;
    const { element } = this;
    sheet.append(element);
    element.className = "mark";
    element.role = "application";
    element.ariaLabel = `Mark on page ${outline.page}. Arrow keys move it, plus and minus scale it, R turns it.`;
    element.tabIndex = -1;
    for (const kind of ["turn", "scale"]) {
      const handle = document.createElement("span");
      handle.className = `handle ${kind}`;
      element.append(handle);
    }
    element.addEventListener("pointerdown", (event) => this.#drag(event));
    element.addEventListener("keydown", (event) => this.#press(event));
    this.#place(outline);
  }

  /** Moves the frame to the mark's new place, except while the visitor drags it. */
  show(outline: MarkOutline): void {
    this.#outline = outline;
    if (!this.#isDragging) this.#place(outline);
  }

  #place(outline: MarkOutline): void {
    const { width, height, angle } = shapeOf(outline);
    const { x, y } = centerOf(outline);
    const { pageSize } = outline;
    const { style, dataset, parentElement } = this.element;
    const scale = parentElement!.clientWidth / pageSize.width;
    const list = parentElement!.parentElement!;
    const sides = sidesOf(
      { width: width * scale + 2 * FRAME_PX, height: height * scale + 2 * FRAME_PX },
      { x: x * scale, y: y * scale },
      angle,
      { width: pageSize.width * scale, height: pageSize.height * scale },
      { x: (list.clientWidth - parentElement!.clientWidth) / 2, y: GAP_PX },
    );
    dataset.x = sides.x > 0 ? "right" : "left";
    dataset.y = sides.y > 0 ? "top" : "bottom";
    style.left = `${(100 * x) / pageSize.width}%`;
    style.bottom = `${(100 * y) / pageSize.height}%`;
    style.width = `${(100 * width) / pageSize.width}%`;
    style.height = `${(100 * height) / pageSize.height}%`;
    style.transform = `translate(-50%, 50%) rotate(${-angle}deg)`;
  }

  #drag(event: PointerEvent): void {
    const { element } = this;
    const isScrolling = event.pointerType === "touch" && document.activeElement !== element;
    if (event.button !== 0 || isScrolling) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
    const sheet = element.parentElement!.getBoundingClientRect();
    const outline = this.#outline;
    const points = outline.pageSize.width / sheet.width;
    const at = ({ clientX, clientY }: PointerEvent) => ({
      x: (clientX - sheet.left) * points,
      y: (sheet.bottom - clientY) * points,
    });
    const from = at(event);
    const center = centerOf(outline);
    const reach = Math.hypot(from.x - center.x, from.y - center.y);
    const { classList } = event.target as Element;
    const end = new AbortController();
    element.setPointerCapture(event.pointerId);
    this.#isDragging = true;
    element.classList.add("dragged");
    const adjust = this.#begin();

    const drag = (moved: PointerEvent) => {
      const to = at(moved);
      if (classList.contains("turn"))
        return adjust({ kind: "turn", outline, by: turnedBy(center, from, to), snap: SNAP_DEGREES });
      if (classList.contains("scale")) {
        const by = Math.max(0.05, Math.hypot(to.x - center.x, to.y - center.y) / reach);
        return adjust({ kind: "scale", outline, by });
      }
      const by = { x: to.x - from.x, y: to.y - from.y };
      this.#place({ ...outline, corners: outline.corners.map(({ x, y }) => ({ x: x + by.x, y: y + by.y })) });
      adjust({ kind: "move", outline, by, snap: SNAP_PX * points });
    };
    const { signal } = end;
    element.addEventListener("pointermove", drag, { signal });
    for (const type of ["pointerup", "pointercancel"] as const)
      element.addEventListener(
        type,
        () => {
          end.abort();
          this.#isDragging = false;
          element.classList.remove("dragged");
          this.#place(this.#outline);
        },
        { signal },
      );
  }

  #press(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const outline = this.#outline;
    const adjust = this.#begin();
    const arrow = ARROWS[key];
    const step = shiftKey ? 10 * STEP.move : STEP.move;
    if (arrow) adjust({ kind: "move", outline, by: { x: arrow.x * step, y: arrow.y * step }, snap: 0 });
    else if (key === "+" || key === "=") adjust({ kind: "scale", outline, by: STEP.scale });
    else if (key === "-") adjust({ kind: "scale", outline, by: 1 / STEP.scale });
    else if (key.toLowerCase() === "r")
      adjust({ kind: "turn", outline, by: shiftKey ? -STEP.turn : STEP.turn, snap: 0 });
    else return;
    event.preventDefault();
  }
}
