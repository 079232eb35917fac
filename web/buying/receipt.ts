import type { Bought } from "./attempts.ts";

/** How often the words for the time that is left are looked at. */
const LOOK_MS = 1000;
/** How long it is said that the link was copied. */
const SAID_MS = 2000;
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;
const inWords = new Intl.RelativeTimeFormat("en");

/** What was bought, to be put into the page. */
export interface Receipt {
  element: HTMLElement;
  /** Says that the link works no more, and takes away what can be done with it. */
  close(words?: string): void;
}

/**
 * Shows what was bought: its link, how long that works, and what can be done with it.
 * @param onEnd is called when its holder has ended the link
 */
export function receiptFor(name: string, { output, cost }: Bought, onEnd: () => void): Receipt {
  const template = document.getElementById("receipt") as HTMLTemplateElement;
  const element = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  const part = <E extends HTMLElement>(kind: string) => element.querySelector<E>(`[data-part=${kind}]`)!;
  part("name").textContent = name;
  part("facts").textContent = [
    output.pages === 1 ? "1 page" : `${output.pages.toLocaleString("en")} pages`,
    sizeInWords(output.bytes),
    cost,
  ].join(", ");
  const link = part<HTMLInputElement>("link");
  link.value = output.url;
  link.addEventListener("focus", () => link.select());
  part<HTMLAnchorElement>("download").href = output.url;
  const said = part("said");

  const ends = new Date(output.expires_at);
  part<HTMLTimeElement>("ends").dateTime = output.expires_at;
  const close = (words = "The link has ended, and the file is deleted.") => {
    if (element.classList.contains("ended")) return;
    clearInterval(clock);
    element.classList.add("ended");
    part("life").textContent = words;
    part("means").remove();
  };
  const look = () => {
    const left = ends.getTime() - Date.now();
    if (left <= 0) return close();
    const words = timeInWords(left);
    if (part("ends").textContent !== words) part("ends").textContent = words;
  };
  const clock = setInterval(look, LOOK_MS);
  part("ends").title = ends.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

  const copy = part("copy");
  const { textContent: label } = copy;
  const copied = () => {
    said.textContent = "The link is copied.";
    copy.textContent = "Copied";
    setTimeout(() => {
      said.textContent = "";
      copy.textContent = label;
    }, SAID_MS);
  };
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(output.url);
      copied();
    } catch {
      link.focus(); // it is selected, for the keyboard to copy
    }
  });
  const question = part("question");
  const ask = (isAsked: boolean) => {
    question.hidden = !isAsked;
    part("end").ariaExpanded = String(isAsked);
    part(isAsked ? "keep" : "end").focus();
  };
  part("end").addEventListener("click", () => ask(Boolean(question.hidden)));
  part("keep").addEventListener("click", () => ask(false));
  part("sure").addEventListener("click", async () => {
    const answer = await fetch(output.url, { method: "DELETE" }).catch(() => undefined);
    if (!answer?.ok && answer?.status !== 410) {
      said.textContent = "The link could not be ended. Try again.";
      return;
    }
    close("You have ended the link. The file is deleted.");
    element.focus();
    onEnd();
  });
  look();
  return { element, close };
}

/** So many milliseconds from now, in the largest unit that has two: `in 23 hours`, `in 90 minutes`. */
function timeInWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? UNITS[3];
  return inWords.format(Math.round(seconds / length), unit);
}

function sizeInWords(bytes: number): string {
  const [unit, size] = bytes < 1e6 ? (["kilobyte", bytes / 1e3] as const) : (["megabyte", bytes / 1e6] as const);
  return new Intl.NumberFormat("en", { style: "unit", unit, maximumSignificantDigits: 3 }).format(Math.max(1, size));
}
