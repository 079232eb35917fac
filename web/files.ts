/** Accepts files from the file dialog, from a drop anywhere on the page, or from the samples. */

import { listFiles } from "./fileList.ts";
import { keptFiles } from "./keptFile.ts";

/** Media types of the images that a mark can show. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg"]);

const playground = document.getElementById("playground")!;
const filePicker = document.getElementById("file") as HTMLInputElement;
const problem = document.getElementById("file-problem")!;

/** Actions of the playground on files. */
interface Taker {
  /** Marks a PDF. */
  choose(file: File): void;
  /** Puts an image into its field. */
  putImage(image: File): void;
  /** Puts an image on the pages. */
  chooseImage(image: File): void;
  hasFile(): boolean;
}

/** Enables choosing and dropping files. */
export function enableFiles(taker: Taker): void {
  filePicker.addEventListener("change", () => {
    takeAll([...(filePicker.files ?? [])], taker);
  });
  filePicker.addEventListener("click", () => {
    filePicker.value = ""; // without this reset, choosing the same file again would fire no change event
  });
  document.getElementById("sample")!.addEventListener("click", async () => {
    const sample = await requestedSample("sample.pdf", "application/pdf");
    if (!sample) return;
    filePicker.value = "";
    takeAll([sample], taker);
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    playground.classList.add("dropping");
  });
  for (const end of ["dragleave", "drop"]) addEventListener(end, () => playground.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop([...(event.dataTransfer?.files ?? [])], taker);
    playground.scrollIntoView();
  });
  // at `pageshow`, the browser has already restored the controls after a reload or after going back
  addEventListener("pageshow", () => filePicker.files?.[0] && takeAll([...filePicker.files], taker));
  openSampleInView(taker, restore(taker));
}

/** Takes the files of this tab that the browser has retained. */
async function restore(taker: Taker): Promise<void> {
  const kept = await keptFiles();
  if (!kept || taker.hasFile()) return;
  if (kept.image) taker.putImage(kept.image);
  takeAll([kept.pdf], taker);
}

/** Loads a sample that the visitor has requested. If it cannot be loaded, says so and returns undefined. */
export async function requestedSample(...of: Parameters<typeof sampleFile>): Promise<File | undefined> {
  const sample = await sampleFile(...of);
  problem.textContent = sample ? "" : "The sample could not be loaded. Try again.";
  return sample;
}

const samples = new WeakSet<File>();

/** Loads a sample of this deployment, or returns undefined if it cannot be loaded. */
async function sampleFile(name: "sample.pdf" | "logo.png", type: string): Promise<File | undefined> {
  const response = await fetch(`/assets/${name}`).catch(() => undefined);
  if (!response?.ok) return undefined;
  const sample = new File([await response.blob()], name, { type });
  samples.add(sample);
  return sample;
}

/** Returns whether a file is a sample of this deployment. */
export function isSample(file: File): boolean {
  return samples.has(file);
}

/**
 * Opens the sample as soon as the preview is in view, unless a file is open or the browser requests reduced data use.
 */
function openSampleInView(taker: Taker, restored: Promise<void>): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return;
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry?.isIntersecting) return;
    observer.disconnect();
    await restored;
    if (taker.hasFile()) return;
    const sample = await sampleFile("sample.pdf", "application/pdf");
    if (sample && !taker.hasFile()) taker.choose(sample);
  });
  observer.observe(document.getElementById("preview")!);
}

/** Handles dropped files by type: marks the PDFs, and puts the first image on their pages. */
function drop(files: File[], taker: Taker): void {
  const pdfs = files.filter(isPdf);
  const image = files.find(({ type }) => IMAGE_TYPES.has(type));
  if (image) taker.chooseImage(image);
  if (pdfs.length > 0) takeAll(pdfs, taker);
  const unusable = files.filter((file) => !pdfs.includes(file) && file !== image).map(({ name }) => name);
  problem.textContent =
    unusable.length > 0 ? `Not used: ${unusable.join(", ")}. Drop PDFs, or one PNG or JPEG image.` : "";
}

/** Marks the first of several PDFs, and lists all of them, so that the visitor can choose another one. */
function takeAll(pdfs: File[], taker: Taker): void {
  problem.textContent = "";
  listFiles(pdfs, taker.choose);
  if (pdfs[0]) taker.choose(pdfs[0]);
}

function isPdf({ type, name }: File): boolean {
  return type === "application/pdf" || /\.pdf$/i.test(name);
}
