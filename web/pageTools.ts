/** The tools above the preview: the number of the page in view, and the zoom. */
import type { Viewer } from "./viewer.ts";

/** Factors of the zoom. 1 fits a whole page into the view. */
const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4];

const tools = document.getElementById("tools")!;
const number = document.getElementById("page-number") as HTMLInputElement;
const count = document.getElementById("page-count")!;
const factor = document.getElementById("zoom") as HTMLOutputElement;

/** Connects the tools with a viewer. */
export function enablePageTools(viewer: Viewer): void {
  viewer.onPage = (page, pages) => {
    tools.hidden = pages === 0;
    count.textContent = pages.toLocaleString("en");
    number.max = String(pages);
    if (document.activeElement !== number) number.value = String(page);
  };
  number.addEventListener("change", () => {
    const page = Math.round(Number(number.value));
    viewer.goTo(Math.min(Math.max(1, page || 1), Number(number.max)));
  });
  number.addEventListener("blur", () => viewer.report());
  const proof = document.querySelector<HTMLElement>(".proof")!;
  document.querySelector(".settings")!.addEventListener("focusin", () => {
    proof.scrollTop = 0; // the visitor may have scrolled down to a receipt or a link below the preview
  });
  let zoom = ZOOMS.indexOf(1);
  const change = (by: number) => {
    zoom = Math.min(Math.max(0, zoom + by), ZOOMS.length - 1);
    const value = ZOOMS[zoom]!;
    factor.value = value === 1 ? "Fit" : `${100 * value} %`;
    viewer.zoom(value);
  };
  document.getElementById("zoom-out")!.addEventListener("click", () => change(-1));
  document.getElementById("zoom-in")!.addEventListener("click", () => change(1));
}
