/** Buys the listed PDFs with the same settings, one purchase after the other. */
import { boughtAttempts, findAttempt } from "./buying/attempts.ts";
import type { Order } from "./buying/order.ts";
import { listedFiles, showState } from "./fileList.ts";

/** Actions of the playground. */
export interface Shop {
  /** Returns the order for a PDF with the current settings. */
  orderFor(file: File): Order;
  /** Shows a PDF. Resolves once the preview is up to date, with whether the PDF is for sale. */
  show(file: File): Promise<boolean>;
  /** Buys the orders that `next` shows, until `next` returns false or a purchase fails. */
  buySeries(next: () => Promise<boolean>, isInDevelopment: boolean): Promise<void>;
  /** Returns the PDF that was chosen last. */
  chosen(): File | undefined;
  /** Marks the chosen PDF again. */
  refresh(): void;
  /** Returns the current settings as text. Equal settings have equal texts. */
  settings(): string;
}

const box = document.getElementById("series")!;
const buttons = [...box.querySelectorAll("button")];
const status = document.getElementById("series-status")!;
const { price } = box.dataset as { price: string };

/** PDFs that cannot be marked with the settings `refusedWith`. */
const refused = new Set<File>();
let refusedWith: string | undefined;
let isRunning = false;
/** The settings to which the status refers. */
let reported: string | undefined;
/**
 * Number of updates. Digests are computed asynchronously. An update has no effect if a later one has begun meanwhile.
 */
let updates = 0;

/** Enables the buttons of the series. */
export function enableSeries(shop: Shop): void {
  for (const button of buttons) button.addEventListener("click", () => run(shop, button));
}

/**
 * Updates the states of the listed PDFs and the offer to buy those that are not bought yet.
 * @param shown the PDF in the preview
 * @param isForSale whether the shown PDF can be marked
 */
export async function updateSeries(shop: Shop, shown: File, isForSale: boolean): Promise<void> {
  const settings = shop.settings();
  if (refusedWith !== settings) refused.clear();
  refusedWith = settings;
  if (isForSale) refused.delete(shown);
  else refused.add(shown);
  if (!isRunning && reported !== settings) status.textContent = "";
  const update = ++updates;
  const files = listedFiles();
  const left = await remaining(shop, files);
  if (update !== updates) return;
  for (const file of files) showState(file, left.includes(file) ? (refused.has(file) ? "not marked" : "") : "bought");
  if (isRunning) return; // the offer does not change while a series is being bought
  const { length } = left.filter((file) => !refused.has(file));
  box.hidden = length < 2;
  if (box.hidden) return;
  const which = length === files.length ? "all " : left.length === files.length ? "" : "the other ";
  for (const button of buttons) {
    button.disabled = false;
    const label = `Get ${which}${length} PDFs${totalOf(length)}${button.dataset.payer === "key" ? " with the development key" : ""}`;
    if (button.textContent !== label) button.textContent = label; // a live region would announce an equal label again
  }
}

async function run(shop: Shop, pressed: HTMLButtonElement): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (const button of buttons) button.disabled = true;
  const settings = shop.settings();
  const files = await remaining(shop, listedFiles());
  const isListed = (file: File) => listedFiles().includes(file);
  let at = 0;
  const next = async () => {
    while (at < files.length && isListed(files[at]!)) {
      const file = files[at]!;
      if (refused.has(file)) {
        at++;
        continue;
      }
      status.textContent = `${at + 1} of ${files.length}: ${file.name}`;
      const isForSale = await shop.show(file);
      if (shop.settings() !== settings || !isListed(file)) return false;
      if (shop.chosen() !== file) continue; // the visitor has chosen another PDF of the list meanwhile
      at++;
      if (isForSale) return true;
    }
    return false;
  };
  await shop.buySeries(next, pressed.dataset.payer === "key");
  isRunning = false;
  const left = await remaining(shop, files);
  reported = shop.settings();
  if (files.every(isListed)) {
    status.textContent = resultOf(files.length - left.length, left, reported === settings);
    await shop.show(left[0] ?? files.at(-1)!);
  } else {
    status.textContent = "";
    shop.refresh();
  }
  pressed.focus();
}

function resultOf(bought: number, left: readonly File[], isSameSettings: boolean): string {
  if (!isSameSettings) return "The settings have changed. The PDFs with the new settings are not bought yet.";
  if (left.length === 0) return `All ${bought} PDFs are bought.`;
  return `${bought === 1 ? "1 PDF is" : `${bought} PDFs are`} bought. Not bought: ${left.map(({ name }) => name).join(", ")}.`;
}

/** Returns the PDFs that were not bought with the current settings. */
async function remaining(shop: Shop, files: readonly File[]): Promise<File[]> {
  if (boughtAttempts().length === 0) return [...files];
  const left: File[] = [];
  for (const file of files) {
    const order = shop.orderFor(file);
    if (!findAttempt(await order.digest(), order.password)?.bought) left.push(file);
  }
  return left;
}

/** Returns the price of several purchases in words, or an empty text if the deployment has several prices. */
function totalOf(count: number): string {
  const [amount, unit, ...others] = price.split(" ");
  if (others.length > 0) return "";
  const digits = amount!.split(".")[1]?.length ?? 0;
  return ` for ${(Number(amount) * count).toFixed(digits)} ${unit}`;
}
