/** Takes files from the file dialog, from a drop anywhere on the page, or the samples. */

/** Media types of the images that a mark can show. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg"]);

const playground = document.getElementById("playground")!;
const filePicker = document.getElementById("file") as HTMLInputElement;
const others = document.getElementById("others")!;

/** Actions of the playground on files. */
interface Taker {
  /** Marks a PDF. */
  choose(file: File | undefined): void;
  /** Puts an image on the pages. */
  chooseImage(image: File): void;
  /** Shows a message. */
  show(words: string): void;
  hasFile(): boolean;
}

/** Enables choosing and dropping files. */
export function enableFiles(taker: Taker): void {
  filePicker.addEventListener("change", () => {
    offer([], taker);
    taker.choose(filePicker.files?.[0]);
  });
  filePicker.addEventListener("click", () => {
    filePicker.value = ""; // without this reset, choosing the same file again would fire no change event
  });
  document.getElementById("sample")!.addEventListener("click", async () => {
    const sample = await sampleFile("sample.pdf", "application/pdf");
    if (!sample) return taker.show("The sample could not be loaded. Try again.");
    filePicker.value = "";
    offer([], taker);
    taker.choose(sample);
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
  addEventListener("pageshow", () => filePicker.files?.[0] && taker.choose(filePicker.files[0]));
  openSampleInView(taker);
}

/** Loads a sample of this deployment, or returns undefined if it cannot be loaded. */
export async function sampleFile(name: "sample.pdf" | "logo.png", type: string): Promise<File | undefined> {
  const response = await fetch(`/assets/${name}`).catch(() => undefined);
  return response?.ok ? new File([await response.blob()], name, { type }) : undefined;
}

/** Opens the sample as soon as the playground is in view, unless there is a file or the visitor saves data. */
function openSampleInView(taker: Taker): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return;
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry?.isIntersecting) return;
    observer.disconnect();
    if (taker.hasFile()) return;
    const sample = await sampleFile("sample.pdf", "application/pdf");
    if (sample && !taker.hasFile()) taker.choose(sample);
  });
  observer.observe(document.getElementById("preview")!);
}

/** Takes dropped files by their type: the first PDF to mark, and the first image to put on its pages. */
function drop(files: File[], taker: Taker): void {
  const pdfs = files.filter(isPdf);
  const image = files.find(({ type }) => IMAGE_TYPES.has(type));
  if (image) taker.chooseImage(image);
  if (pdfs[0]) taker.choose(pdfs[0]);
  offer(pdfs.slice(1), taker);
  const unusable = files.filter((file) => !pdfs.includes(file) && file !== image).map(({ name }) => name);
  if (unusable.length > 0 && !pdfs[0] && !image)
    taker.show(`Not used: ${unusable.join(", ")}. Drop a PDF, or a PNG or JPEG image.`);
}

/** Offers PDFs that were dropped together with the shown one. */
function offer(files: File[], taker: Taker): void {
  others.hidden = files.length === 0;
  others.replaceChildren(
    "Also dropped: ",
    ...files.map((file) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link";
      button.textContent = file.name;
      button.addEventListener("click", () => taker.choose(file));
      return button;
    }),
  );
}

function isPdf({ type, name }: File): boolean {
  return type === "application/pdf" || /\.pdf$/i.test(name);
}
