import { sizeInWords } from "../sizeInWords.ts";
import type { Bought } from "./attempts.ts";

/** Interval between updates of the remaining time. */
const TICK_MS = 1000;
/** Duration for which the page confirms that the link was copied. */
const COPIED_MS = 2000;
const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;
const TIME = { dateStyle: "medium", timeStyle: "short" } as const;
const inWords = new Intl.RelativeTimeFormat("en");

/** The receipt of a bought file, as an element of the page. */
export interface Receipt {
  element: HTMLElement;
  /** Shows that the link no longer works, and removes its buttons. */
  close(words?: string): void;
}

/** A bought file, the settings of its mark in words, and the time of the purchase in Unix milliseconds. */
export interface Item {
  name: string;
  settings?: string | undefined;
  boughtAt?: number | undefined;
  /** A small picture of the first page, as a data URI. */
  picture?: string | undefined;
}

/**
 * Creates a receipt: the link, the time until it expires, and buttons to download, copy and revoke.
 * @param onRevoke is called after the visitor has revoked the link
 */
export function receiptFor(
  { name, settings, boughtAt, picture: pictureUri }: Item,
  { output, cost }: Bought,
  onRevoke: () => void,
): Receipt {
  const template = document.getElementById("receipt") as HTMLTemplateElement;
  const element = (template.content.cloneNode(true) as DocumentFragment).firstElementChild as HTMLElement;
  const part = <E extends HTMLElement>(kind: string) => element.querySelector<E>(`[data-part=${kind}]`)!;
  part("name").textContent = name;
  const picture = part<HTMLImageElement>("picture");
  if (pictureUri) picture.src = pictureUri;
  else picture.remove();
  part("facts").textContent = [
    output.pages === 1 ? "1 page" : `${output.pages.toLocaleString("en")} pages`,
    sizeInWords(output.bytes),
    cost,
  ].join(", ");
  const at = boughtAt === undefined ? "" : `Bought ${new Date(boughtAt).toLocaleString("en", TIME)}`;
  part("order").textContent = [at, settings].filter(Boolean).join(": ");
  const link = part<HTMLInputElement>("link");
  link.value = output.url;
  link.addEventListener("focus", () => link.select());
  part<HTMLAnchorElement>("download").href = output.url;
  const status = part("status");

  const expires = new Date(output.expires_at);
  part<HTMLTimeElement>("expires").dateTime = output.expires_at;
  const close = (words = "The link has expired, and the file is deleted.") => {
    if (element.classList.contains("ended")) return;
    clearInterval(clock);
    element.classList.add("ended");
    part("expiry").textContent = words;
    part("actions").remove();
  };
  const update = () => {
    const left = expires.getTime() - Date.now();
    if (left <= 0) return close();
    const words = timeInWords(left);
    if (part("expires").textContent !== words) part("expires").textContent = words;
  };
  const clock = setInterval(update, TICK_MS);
  part("expires").title = expires.toLocaleString("en", TIME);

  const copy = part("copy");
  const { textContent: label } = copy;
  const copied = () => {
    status.textContent = "The link was copied.";
    copy.textContent = "Copied";
    setTimeout(() => {
      status.textContent = "";
      copy.textContent = label;
    }, COPIED_MS);
  };
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(output.url);
      copied();
    } catch {
      link.focus(); // selects the link by focusing it, so that the visitor can copy it with the keyboard
    }
  });
  const question = part("question");
  const ask = (isAsked: boolean) => {
    question.hidden = !isAsked;
    part("revoke").ariaExpanded = String(isAsked);
    part(isAsked ? "dismiss" : "revoke").focus();
  };
  part("revoke").addEventListener("click", () => ask(Boolean(question.hidden)));
  part("dismiss").addEventListener("click", () => ask(false));
  part("confirm").addEventListener("click", async () => {
    const answer = await fetch(output.url, { method: "DELETE" }).catch(() => undefined);
    if (!answer?.ok && answer?.status !== 410) {
      status.textContent = "The link could not be revoked. Try again.";
      return;
    }
    close("You revoked the link. The file is deleted.");
    element.focus();
    onRevoke();
  });
  update();
  return { element, close };
}

/**
 * Formats a duration as a time from now, in the largest unit that yields at least 2: `in 23 hours`, `in 90 minutes`.
 */
function timeInWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? UNITS[3];
  return inWords.format(Math.round(seconds / length), unit);
}
