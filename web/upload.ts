/** Client script of the upload page: sends the chosen file to the page's own address. */
import { send } from "./send.ts";

const input = document.querySelector<HTMLInputElement>("#file");
const progress = document.querySelector<HTMLProgressElement>("#progress")!;
const status = document.querySelector<HTMLElement>("#status")!;

if (input) {
  input.disabled = false;
  status.textContent = "";
  input.addEventListener("change", () => void sendChosen(input));
}

async function sendChosen(input: HTMLInputElement): Promise<void> {
  const [file] = input.files ?? [];
  if (!file) return;
  const wrong = sizeProblem(file, input.parentElement!.dataset);
  if (wrong) return tell(wrong);
  const leaving = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", leaving);
  input.disabled = true;
  progress.hidden = false;
  tell("Uploading …");
  try {
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    const answer = await send("PUT", location.pathname, file, headers, {
      onProgress: (share) => (progress.value = share),
    });
    if (answer.ok) return tell("Upload complete. Return to your chat to continue.");
    const { detail } = (await answer.json()) as { detail?: string };
    tell(detail ?? "The file was rejected.");
  } catch {
    tell("The connection was lost. Choose the file again.");
  } finally {
    removeEventListener("beforeunload", leaving);
    progress.hidden = true;
  }
  input.disabled = false;
  input.value = "";
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

function tell(what: string): void {
  status.textContent = what;
}
