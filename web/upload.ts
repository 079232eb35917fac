/** The page of an upload: sends the file that is chosen to the page's own address. */
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
  tell("Sending…");
  try {
    const headers = { "Content-Type": file.type || "application/octet-stream" };
    const answer = await send("PUT", location.pathname, file, headers, {
      onProgress: (share) => (progress.value = share),
    });
    if (answer.ok) return tell("It has arrived. Go back to where you came from: it can be marked now.");
    const { detail } = (await answer.json()) as { detail?: string };
    tell(detail ?? "It was not taken.");
  } catch {
    tell("The connection broke off. Choose the file again.");
  } finally {
    removeEventListener("beforeunload", leaving);
    progress.hidden = true;
  }
  input.disabled = false;
  input.value = "";
}

/** Returns what is wrong with the length of a file, before it is sent in vain. */
function sizeProblem({ size }: File, { size: expected, maxBytes }: DOMStringMap): string | undefined {
  if (size === 0) return "This file is empty. Choose another one.";
  if (expected !== undefined && size !== Number(expected))
    return `This file has ${size} bytes, and the one that was asked for has ${expected}. Choose that, or have another upload asked for.`;
  return size > Number(maxBytes) ? `This file has more than ${maxBytes} bytes, the most that fits here.` : undefined;
}

function tell(what: string): void {
  status.textContent = what;
}
