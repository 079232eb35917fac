/** The text in place of the pages, as long as the preview shows none. */

export const emptyFrame = document.querySelector<HTMLElement>("#preview > .empty")!;
const [heading, text] = emptyFrame.querySelectorAll("p") as NodeListOf<HTMLElement>;
const PRIVACY = text!.textContent;

/** Shows the progress of the first preview. */
export function showProgressInFrame(words: string): void {
  emptyFrame.classList.remove("refused");
  heading!.textContent = words;
  text!.textContent = PRIVACY;
}

/** Explains why a file has no preview. */
export function explainInFrame({ name }: File, reason: string): void {
  emptyFrame.classList.add("refused");
  heading!.textContent = `${name} cannot be marked`;
  text!.textContent = reason.replaceAll("`", "");
}
