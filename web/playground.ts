/** The playground: the file, the controls, and the preview that results from them. */

import { BLANK } from "../src/site/presets.ts";
import { beginAdjusting, resultOf } from "./adjust.ts";
import { announce } from "./announce.ts";
import { boughtAttempts } from "./buying/attempts.ts";
import { type Order, orderOf } from "./buying/order.ts";
import { enableCopying } from "./copying.ts";
import { edgeWarnings } from "./edgeWarnings.ts";
import { emptyFrame, explainInFrame, showProgressInFrame } from "./emptyFrame.ts";
import { showChosen } from "./fileList.ts";
import { enableFiles, isSample, requestedSample } from "./files.ts";
import { addRecent, enableHistory, remembered } from "./history.ts";
import { enableInserts } from "./inserts.ts";
import { retain } from "./keptFile.ts";
import { type Refusal, Refused } from "./messages.ts";
import { enableNumbers } from "./numbers.ts";
import { inPlainWords } from "./plainWords.ts";
import type { Preview } from "./preview.ts";
import type { Purchase } from "./purchase.ts";
import { resultNameOf } from "./resultName.ts";
import { enableSeries, type Shop, updateSeries } from "./series.ts";
import { forms, readSettings, type Settings } from "./settings.ts";
import { applySettings, type StoredSettings, storable } from "./sharedSettings.ts";
import { enableSharing } from "./sharing.ts";
import { sizeWarnings } from "./sizeWarnings.ts";
import { showSnippets } from "./snippets.ts";
import { enableTemplates } from "./templates.ts";
import { enableUnits } from "./units.ts";
import { noticeWarnings, showWarnings } from "./warnings.ts";

const OFFLINE = "You are offline. The engine loads as soon as you are online again.";
const NO_IMAGE = "Choose an image to put on the pages.";
/** Pause between a change of a control and marking the file again. */
const PAUSE_MS = 120;

const playground = document.getElementById("playground")!;
const container = document.getElementById("preview")!;
const status = document.getElementById("status")!;
const moving = document.getElementById("moving")!;
const limits = {
  maxPages: Number(playground.dataset.maxPages),
  maxPixels: Number(playground.dataset.maxPixels),
};

const imageField = document.querySelector<HTMLInputElement>("form[data-operation=image] input[type=file]")!;
const unlock = document.getElementById("unlock") as HTMLFormElement;

let file: File | undefined;
/** The file on screen. */
let shownFile: File | undefined;
let preview: Preview | undefined;
let purchase: Purchase | undefined;
/** Whether the next update is already scheduled. */
let isWaiting = false;
let isBusy = false;
let isStale = false;
/** Number of changes of the file or the settings, and how many of them the preview shows. */
let changes = 0;
let shownChanges = 0;

/** The settings of each order, without the name that the page gives to the result. */
const orderedSettings = new WeakMap<Order, StoredSettings>();

/** Called when the preview shows the latest change, or says why it cannot. */
const waiting: ((isForSale: boolean) => void)[] = [];
const shop: Shop = {
  orderFor: (one) => orderOf({ file: one, ...callSettings(one) }),
  show: (one) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      choose(one);
    }),
  async buySeries(next, isInDevelopment) {
    await loadPurchase();
    await purchase!.buySeries(next, isInDevelopment);
  },
  chosen: () => file,
  refresh: changed,
  settings() {
    const settings = readSettings();
    const { name, size, lastModified } = settings.image ?? {};
    return JSON.stringify([storable(settings), name, size, lastModified]);
  },
};

for (const form of forms()) {
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
}
for (const operation of document.querySelectorAll("input[name=operation]"))
  operation.addEventListener("change", changed);
const pickers = [...document.querySelectorAll<HTMLInputElement>("input[data-picks]")].map((picker) => ({
  picker,
  color: document.getElementById(picker.dataset.picks!) as HTMLInputElement,
}));
for (const { picker, color } of pickers)
  picker.addEventListener("input", () => {
    color.value = picker.value;
    changed();
  });
for (const swatch of document.querySelectorAll<HTMLButtonElement>("button[data-sets]"))
  swatch.addEventListener("click", () => {
    (document.getElementById(swatch.dataset.sets!) as HTMLInputElement).value = swatch.value;
    changed();
  });
unlock.addEventListener("submit", (event) => {
  event.preventDefault();
  setPassword(new FormData(unlock).get("password") as string);
  changed();
});
enableCopying();
enableUnits();
enableNumbers();
enableInserts();
enableTemplates();
enableHistory(changed);
enablePresets();
enableSharing(changed);
enableSeries(shop);
enableFiles({ choose, putImage, chooseImage, hasFile: () => file !== undefined });
changed();
if (boughtAttempts().length > 0) loadPurchase(); // shows the links of earlier purchases
addEventListener("pageshow", changed); // the browser may have restored the controls
addEventListener("online", changed);

/** Applies a preset's settings, and selects the words that the visitor replaces. */
function enablePresets(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-settings]"))
    button.addEventListener("click", async () => {
      const settings = JSON.parse(button.dataset.settings!);
      applySettings(settings);
      if (settings.operation === "image" && !readSettings().image) await chooseSampleLogo();
      changed();
      const text = document.getElementById("text-text") as HTMLTextAreaElement;
      const at = text.value.indexOf(BLANK);
      if (settings.operation !== "text" || at < 0) return;
      text.focus();
      text.setSelectionRange(at, at + BLANK.length);
    });
}

/** Selects the image operation, and puts a file into its field. */
function chooseImage(image: File): void {
  putImage(image);
  document.querySelector<HTMLInputElement>("input[name=operation][value=image]")!.checked = true;
  changed();
}

async function chooseSampleLogo(): Promise<void> {
  const logo = await requestedSample("logo.png", "image/png");
  if (logo) chooseImage(logo);
}

function putImage(image: File): void {
  const transfer = new DataTransfer();
  transfer.items.add(image);
  imageField.files = transfer.files;
}

function choose(chosen: File): void {
  if (chosen !== file) {
    unlock.reset();
    setPassword(""); // the password belongs to the previous file
  }
  file = chosen;
  showChosen(chosen);
  for (const field of document.querySelectorAll<HTMLInputElement>("form.controls [name=filename]"))
    field.placeholder = resultNameOf(chosen);
  changed();
}

/** Returns the settings of the call for a file. The result is named after the file, unless the visitor names it. */
function callSettings(source = file): Settings {
  const settings = readSettings();
  if (!source) return settings;
  const { filename = resultNameOf(source) } = settings.fields;
  return { ...settings, fields: { ...settings.fields, filename } };
}

function setPassword(password: string): void {
  for (const field of document.querySelectorAll<HTMLInputElement>("form.controls input[name=password]"))
    field.value = password;
}

/** Updates the snippets immediately, and the preview after {@link PAUSE_MS}. */
function changed(): void {
  const settings = readSettings();
  showValues();
  showCall(callSettings());
  remembered(storable(settings));
  changes++;
  if (file) purchase?.suspend(); // disables the purchase until the preview shows the change
  if (!isWaiting) setTimeout(update, PAUSE_MS);
  isWaiting = true;
}

/** Synchronizes the value displays and color pickers with their controls. */
function showValues(): void {
  for (const range of document.querySelectorAll<HTMLInputElement>("input[type=range]"))
    range.ariaValueText = (range.nextElementSibling as HTMLOutputElement).value =
      `${Math.round(Number(range.value) * 100)} %`;
  for (const { picker, color } of pickers) if (/^#[0-9a-f]{6}$/i.test(color.value)) picker.value = color.value;
}

function showCall({ path, tool, fields, operation, image }: Settings): void {
  const name = file?.name ?? "contract.pdf";
  showSnippets({
    origin: location.origin,
    path,
    tool,
    file: name,
    image: operation === "image" ? (image?.name ?? "logo.png") : undefined,
    fields,
  });
}

/**
 * Marks the file and shows the preview. Only one update runs at a time. If the visitor changes settings meanwhile, the
 * latest change is processed next.
 */
async function update(): Promise<void> {
  isWaiting = false;
  if (!file) return;
  isStale = isBusy;
  if (isBusy) return;
  const marking = file;
  const change = changes;
  const settings = callSettings();
  const { operation, fields, image } = settings;
  retain(isSample(marking) ? undefined : { pdf: marking, image: operation === "image" ? image : undefined });
  if (operation === "image" && !image) {
    if (marking === shownFile) container.classList.add("outdated");
    else showNothing(emptyFrame);
    showStatus(NO_IMAGE);
    const mends = [
      { label: "Choose an image", act: () => imageField.click() },
      { label: "Try the sample logo", act: chooseSampleLogo },
    ];
    showWarnings([{ words: NO_IMAGE, mends }], settings, changed);
    purchase?.offer(false);
    settle();
    return;
  }
  isBusy = true;
  container.ariaBusy = "true";
  try {
    if (!preview) showStatus(navigator.onLine ? "Loading the engine …" : OFFLINE);
    preview ??= await loadPreview();
    const isUnlocking = unlock.contains(document.activeElement);
    const { pages, notices, outlines } = await preview.show({
      file: marking,
      operation,
      fields,
      image,
      limits,
    });
    if (isUnlocking) container.focus({ preventScroll: true });
    shownFile = marking;
    shownChanges = change;
    showProblems([]);
    showStatus(`${marking.name}: ${pages} ${pages === 1 ? "page" : "pages"}`);
    const warnings = [
      ...noticeWarnings(notices, settings),
      ...sizeWarnings(outlines, settings),
      ...edgeWarnings(outlines, notices, settings),
    ];
    if (container.querySelector(".dragged")) showWarningsAfterDrag();
    else showWarnings(warnings, settings, changed);
    moving.hidden = false;
    container.classList.remove("outdated");
    await loadPurchase();
    if (change === changes) purchase!.offer(true);
  } catch (error) {
    const { code, detail, errors } = inPlainWords(refusalOf(error));
    showWarnings([], settings, changed);
    showProblems(errors);
    showRefusal(detail);
    if (marking === shownFile) container.classList.add("outdated");
    else if (errors.some(({ path }) => path === "password"))
      askForPassword(marking, code === "password_required" ? "" : detail);
    else {
      if (detail !== OFFLINE) explainInFrame(marking, detail);
      showNothing(emptyFrame);
    }
    purchase?.offer(false);
  } finally {
    isBusy = false;
    container.ariaBusy = "false";
  }
  if (isStale) update();
  else if (!isWaiting) settle();
}

/**
 * Marks the file once more at the end of a drag, to show its warnings. They are not shown during the drag, because they
 * take room from the preview, which would move the page under the pointer.
 */
function showWarningsAfterDrag(): void {
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, changed, { once: true });
}

/** Reports that the preview is up to date. */
function settle(): void {
  const isForSale = purchase?.isOffered ?? false;
  for (const resolve of waiting.splice(0)) resolve(isForSale);
  void updateSeries(shop, file!, isForSale);
}

/** Asks for the password of a file in place of its pages. `problem` describes why the last password was refused. */
function askForPassword({ name }: File, problem: string): void {
  showNothing(unlock);
  showStatus(`${name} needs its password.`);
  document.getElementById("unlock-problem")!.textContent = problem;
  document.getElementById("unlock-password")!.ariaInvalid = problem ? "true" : null;
}

/**
 * Shows an element instead of pages, because the file cannot be marked. An element that is already shown keeps the
 * focus.
 */
function showNothing(instead: HTMLElement): void {
  preview?.clear();
  shownFile = undefined;
  moving.hidden = true;
  unlock.hidden = instead !== unlock;
  for (const child of [...container.children]) if (child !== instead) child.remove();
  if (!instead.isConnected) container.append(instead);
}

/** Loads the code that marks and draws. Shows meanwhile how many bytes of the engine have arrived. */
async function loadPreview(): Promise<Preview> {
  const { Preview, fetchEngine } = await import("./preview.ts");
  await fetchEngine((bytes) => showStatus(`Loading the engine: ${Math.round(bytes / 1000).toLocaleString("en")} KB …`));
  return new Preview(container, () => {
    const adjust = beginAdjusting(shownChanges === changes);
    return (adjustment) => {
      adjust(adjustment);
      changed();
      announce(resultOf(adjustment.kind));
    };
  });
}

async function loadPurchase(): Promise<void> {
  const { Purchase } = await import("./purchase.ts");
  const order = () => {
    if (!file) return undefined;
    const offered = orderOf({ file, picture: preview?.picture(), ...callSettings() });
    orderedSettings.set(offered, storable(readSettings()));
    return offered;
  };
  purchase ??= new Purchase(order, {
    onBought(bought) {
      addRecent(orderedSettings.get(bought)!);
      if (file) void updateSeries(shop, file, true);
    },
  });
}

function refusalOf(error: unknown): Refusal {
  if (!navigator.onLine) return { detail: OFFLINE, errors: [] };
  if (error instanceof Refused) return error.refusal;
  return { detail: `The preview failed: ${error instanceof Error ? error.message : error}`, errors: [] };
}

/** Shows each error beside its field. */
function showProblems(errors: Refusal["errors"]): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-problem]")) {
    const found = errors.find(({ path }) => path === place.dataset.problem);
    setWords(place, found?.message ?? "");
    const control = place.parentElement!.querySelector("input, textarea, select");
    if (control) control.ariaInvalid = found ? "true" : null;
    const folded = place.closest("details");
    if (found && folded) folded.open = true;
  }
}

/** Shows the status of the preview. Announces a changed status after a pause. */
function showStatus(words: string): void {
  status.classList.remove("refused");
  const before = status.textContent;
  setWords(status, words);
  if (!shownFile) showProgressInFrame(status.textContent);
  if (status.textContent !== before) announce(status.textContent);
}

function showRefusal(words: string): void {
  showStatus(words);
  status.classList.add("refused");
}

/** Writes text into an element and formats parts between backquotes as code. */
function setWords(element: HTMLElement, words: string): void {
  element.replaceChildren(
    ...words.split("`").map((part, at) => {
      if (at % 2 === 0) return part;
      const code = document.createElement("code");
      code.textContent = part;
      return code;
    }),
  );
}
