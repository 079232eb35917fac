/** The playground: the file, the controls, and the preview that results from them. */

import { boughtAttempts } from "./buying/attempts.ts";
import { orderOf } from "./buying/order.ts";
import { enableCopying } from "./copying.ts";
import { type Refusal, Refused } from "./messages.ts";
import type { Preview } from "./preview.ts";
import type { Purchase } from "./purchase.ts";
import { forms, readSettings, type Settings } from "./settings.ts";
import { linkTo, takeSettings } from "./sharedSettings.ts";
import { showSnippets } from "./snippets.ts";

/** Pause after the last change of a control before the file is marked again. */
const DEBOUNCE_MS = 120;
/** Media types of the images that a mark can show. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg"]);

const playground = document.getElementById("playground")!;
const container = document.getElementById("preview")!;
const status = document.getElementById("status")!;
const filePicker = document.getElementById("file") as HTMLInputElement;
const limits = {
  maxPages: Number(playground.dataset.maxPages),
  maxPixels: Number(playground.dataset.maxPixels),
};

/** Shown in the preview until there is a marked file. */
const empty = container.querySelector<HTMLElement>(".empty")!;
const unlock = document.getElementById("unlock") as HTMLFormElement;

let file: File | undefined;
/** The file on screen. */
let shownFile: File | undefined;
let preview: Preview | undefined;
let purchase: Purchase | undefined;
let debounce: ReturnType<typeof setTimeout> | undefined;
let isBusy = false;
let isStale = false;
/** Number of changes of the file or the settings. */
let changes = 0;
/** Says which dropped files are not used. */
let unused: string[] = [];

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
unlock.addEventListener("submit", (event) => {
  event.preventDefault();
  const password = new FormData(unlock).get("password") as string;
  for (const field of document.querySelectorAll<HTMLInputElement>("form.controls input[name=password]"))
    field.value = password;
  changed();
});
enableCopying();
enableChoosing();
enableSharing();
changed();
if (boughtAttempts().length > 0) loadPurchase(); // shows the links of earlier purchases
// at `pageshow`, the browser has already restored the controls after a reload or after going back
addEventListener("pageshow", () => choose(file ?? filePicker.files?.[0]));

/** Accepts a file from the file dialog, from a drop anywhere on the page, or the sample. */
function enableChoosing(): void {
  filePicker.addEventListener("change", () => choose(filePicker.files?.[0]));
  filePicker.addEventListener("click", () => {
    filePicker.value = ""; // without this reset, choosing the same file again would fire no change event
  });
  document.getElementById("sample")!.addEventListener("click", async () => {
    const response = await fetch("/assets/sample.pdf");
    if (!response.ok) return showStatus("The sample could not be loaded. Try again.");
    filePicker.value = "";
    choose(new File([await response.blob()], "sample.pdf", { type: "application/pdf" }));
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    playground.classList.add("dropping");
  });
  for (const end of ["dragleave", "drop"]) addEventListener(end, () => playground.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop([...(event.dataTransfer?.files ?? [])]);
    playground.scrollIntoView();
  });
}

/** Takes dropped files by their type: the first PDF to mark, and the first image to put on its pages. */
function drop(files: File[]): void {
  const pdf = files.find(({ type, name }) => type === "application/pdf" || /\.pdf$/i.test(name));
  const image = files.find(({ type }) => IMAGE_TYPES.has(type));
  if (image) chooseImage(image);
  if (pdf) choose(pdf);
  const rest = files.filter((one) => one !== pdf && one !== image).map(({ name }) => name);
  unused = rest.length === 0 ? [] : [`not used: ${rest.join(", ")} (drop one PDF, and one PNG or JPEG image)`];
  if (!pdf && !image) showStatus(unused.join());
}

/** Selects the image operation, and puts a file into its field. */
function chooseImage(image: File): void {
  const field = document.querySelector<HTMLInputElement>("form[data-operation=image] input[type=file]")!;
  const transfer = new DataTransfer();
  transfer.items.add(image);
  field.files = transfer.files;
  document.querySelector<HTMLInputElement>("input[name=operation][value=image]")!.checked = true;
  changed();
}

/** Copies and takes links to the settings, and resets the settings. */
function enableSharing(): void {
  const shared = document.getElementById("shared")!;
  document.getElementById("share")!.addEventListener("click", async () => {
    const link = linkTo(readSettings());
    shared.textContent = await navigator.clipboard.writeText(link).then(
      () => "The link was copied. It has no file and no password.",
      () => link,
    );
  });
  document.getElementById("reset")!.addEventListener("click", () => {
    for (const form of forms()) form.reset();
    history.replaceState(null, "", location.pathname);
    shared.textContent = "";
    changed();
  });
  const take = () => {
    if (!takeSettings()) return;
    playground.scrollIntoView();
    changed();
  };
  addEventListener("hashchange", take);
  take();
}

function choose(chosen: File | undefined): void {
  if (chosen !== file) unused = [];
  file = chosen ?? file;
  changed();
}

/** Updates the snippets immediately, and the preview after {@link DEBOUNCE_MS}. */
function changed(): void {
  showValues();
  showCall(readSettings());
  changes++;
  if (file) purchase?.suspend(); // until the change is on screen
  clearTimeout(debounce);
  debounce = setTimeout(update, DEBOUNCE_MS);
}

/** Synchronizes the value displays and color pickers with their controls. */
function showValues(): void {
  for (const range of document.querySelectorAll<HTMLInputElement>("input[type=range]"))
    (range.nextElementSibling as HTMLOutputElement).value = range.value;
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
  if (!file) return;
  isStale = isBusy;
  if (isBusy) return;
  const marking = file;
  const change = changes;
  const { operation, fields, image } = readSettings();
  if (operation === "image" && !image) {
    showStatus("Choose an image to put on the pages.");
    container.classList.add("outdated");
    purchase?.offer(false);
    return;
  }
  isBusy = true;
  container.ariaBusy = "true";
  try {
    if (!preview) showStatus("Loading the engine …");
    const { Preview } = await import("./preview.ts");
    preview ??= new Preview(container);
    const { pages, milliseconds, notices } = await preview.show({ file: marking, operation, fields, image, limits });
    shownFile = marking;
    showProblems([]);
    const facts = `${pages} ${pages === 1 ? "page" : "pages"}, marked in ${Math.ceil(milliseconds)} ms`;
    showStatus([`${marking.name}: ${facts}`, ...unused, ...notices].join("; "));
    container.classList.remove("outdated");
    await loadPurchase();
    if (change === changes) purchase!.offer(true);
  } catch (error) {
    const { detail, errors } = refusalOf(error);
    showProblems(errors);
    showStatus(detail);
    status.classList.add("refused");
    if (marking === shownFile) container.classList.add("outdated");
    else showNothing(errors.some(({ path }) => path === "password") ? unlock : empty);
    purchase?.offer(false);
  } finally {
    isBusy = false;
    container.ariaBusy = "false";
  }
  if (isStale) update();
}

/** Shows an element instead of pages, because the file cannot be marked. */
function showNothing(instead: HTMLElement): void {
  preview?.clear();
  shownFile = undefined;
  unlock.hidden = instead !== unlock;
  container.replaceChildren(instead);
}

async function loadPurchase(): Promise<void> {
  const { Purchase } = await import("./purchase.ts");
  purchase ??= new Purchase(() => file && orderOf({ file, ...readSettings() }));
}

function refusalOf(error: unknown): Refusal {
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

/** Shows the status of the preview. */
function showStatus(words: string): void {
  status.classList.remove("refused");
  setWords(status, words);
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
