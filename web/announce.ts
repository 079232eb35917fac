/** Announces changes to screen readers: once, after the last of several quick changes. */

/** Time without another change, after which the latest change is announced. */
const PAUSE_MS = 700;

const region = document.createElement("p");
region.className = "unseen";
region.role = "status";
document.getElementById("playground")!.append(region);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Announces words after a pause, unless other words follow. */
export function announce(words: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    region.textContent = words;
  }, PAUSE_MS);
}
