/** Client script of the upload page: sends the chosen file to the page's own address after the visitor has confirmed. */
import { send } from "./send.ts";
import { sizeInWords } from "./sizeInWords.ts";
import { OtherFile, sendInParts, storedParts } from "./uploadParts.ts";

const OTHER_FILE = "This is not the file whose upload has begun. Choose that file, or ask for a new upload page.";

const form = document.querySelector<HTMLFormElement>("#upload");
const status = document.querySelector<HTMLElement>("#status")!;

if (form) enable(form);

function enable(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>("#file")!;
  const confirm = form.querySelector<HTMLButtonElement>("#confirm")!;
  input.disabled = false;
  show("");
  if (form.dataset.partBytes !== undefined) void offerToContinue();
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    const wrong = file && (typeProblem(file, input.accept) ?? sizeProblem(file, form.dataset));
    confirm.hidden = !file || wrong !== undefined;
    if (!file) return;
    if (wrong) return show(wrong, "refused");
    confirm.textContent = `Upload ${file.name} (${sizeInWords(file.size)})`;
    show("");
    confirm.focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [file] = input.files ?? [];
    if (file) void sendFile(form, file);
  });
}

/** If parts of the file are already uploaded, asks the visitor to choose the same file again. */
async function offerToContinue(): Promise<void> {
  const stored = await storedParts().catch(() => []);
  if (stored.length > 0 && status.textContent === "") show("The upload has begun. Choose the same file to continue.");
}

async function sendFile(form: HTMLFormElement, file: File): Promise<void> {
  const input = form.querySelector<HTMLInputElement>("#file")!;
  const confirm = form.querySelector<HTMLButtonElement>("#confirm")!;
  const progress = form.querySelector<HTMLProgressElement>("#progress")!;
  const leaving = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", leaving);
  input.disabled = true;
  confirm.hidden = true;
  progress.hidden = false;
  show("Uploading …");
  try {
    const onProgress = (share: number) => {
      progress.value = share;
    };
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    const { partBytes } = form.dataset;
    const answer = await (partBytes === undefined
      ? send("PUT", location.pathname, file, headers, { onProgress })
      : sendInParts(file, Number(partBytes), onProgress));
    if (answer.ok) {
      form.hidden = true; // the address accepts only one file
      return show("Upload complete. Return to your chat to continue.", "done");
    }
    const { detail } = (await answer.json()) as { detail?: string };
    show(detail ?? "The file was rejected.", "refused");
  } catch (error) {
    show(error instanceof OtherFile ? OTHER_FILE : "The connection was lost. Choose the file again.", "refused");
  } finally {
    removeEventListener("beforeunload", leaving);
    progress.hidden = true;
  }
  input.disabled = false;
  input.value = "";
}

/** Checks the declared type of a file. Returns an error message, or undefined if the type is accepted or unknown. */
function typeProblem({ name, type }: File, accept: string): string | undefined {
  const accepted = accept.split(",");
  if (!type || accepted.some((one) => one === type || name.toLowerCase().endsWith(one))) return undefined;
  return `${name} is not ${accepted.includes("application/pdf") ? "a PDF" : "a PNG or JPEG image"}. Choose another file.`;
}

/** Checks the size of a file before it is uploaded. Returns an error message, or undefined. */
function sizeProblem({ size }: File, { size: expected, maxBytes }: DOMStringMap): string | undefined {
  if (size === 0) return "This file is empty. Choose another one.";
  if (expected !== undefined && size !== Number(expected))
    return `This file has ${size} bytes, but the requested file has ${expected}. Choose the requested file, or ask for a new upload page.`;
  return size > Number(maxBytes)
    ? `This file is larger than ${maxBytes} bytes, the limit of this upload. Choose a smaller one.`
    : undefined;
}

/** Shows a message. A message with an outcome, good or bad, is highlighted. */
function show(words: string, outcome: "" | "done" | "refused" = ""): void {
  status.textContent = words;
  status.className = `outcome ${outcome}`;
}
