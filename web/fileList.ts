/** The list of the visitor's PDFs, if there are several. The list says which one is shown and which ones are bought. */

const box = document.getElementById("others")!;
const list = box.querySelector("ul")!;

interface Entry {
  button: HTMLButtonElement;
  state: HTMLElement;
}
const entries = new Map<File, Entry>();

/** Lists PDFs in place of earlier ones. `take` is called with the PDF that the visitor chooses. */
export function listFiles(files: readonly File[], take: (file: File) => void): void {
  entries.clear();
  list.replaceChildren(
    ...files.map((file) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = file.name;
      button.addEventListener("click", () => take(file));
      const state = document.createElement("span");
      item.append(button, " ", state);
      entries.set(file, { button, state });
      return item;
    }),
  );
  box.hidden = files.length < 2;
}

/** Returns the listed PDFs, or none if there is only one. */
export function listedFiles(): File[] {
  return entries.size < 2 ? [] : [...entries.keys()];
}

/** Highlights the shown PDF in the list. */
export function showChosen(chosen: File): void {
  for (const [file, { button }] of entries) button.ariaPressed = String(file === chosen);
}

/** Shows the state of a listed PDF, or nothing if `words` is empty. */
export function showState(file: File, words: string): void {
  const state = entries.get(file)?.state;
  if (state && state.textContent !== words) state.textContent = words;
}
