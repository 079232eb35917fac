/** Client script of the API reference: copying, searching, and calls with the development key. */
import type { Hex } from "viem";
import { enableCopying } from "./copying.ts";

/** Parts of an entry that the search reads: titles, addresses, and the names of fields, headers and error codes. */
const NAMES = "h2, h3, .address, dt code, .names";

const search = document.getElementById("search") as HTMLInputElement;
const found = document.getElementById("found")!;

enableCopying();
enableSearch();
for (const form of document.querySelectorAll<HTMLFormElement>("form.try"))
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });

/** Shows only the entries whose names contain all words of the search. */
function enableSearch(): void {
  const entries = [...document.querySelectorAll<HTMLElement>("[data-entry]")].map((element) => ({
    element,
    words: Array.from(element.querySelectorAll(NAMES), ({ textContent }) => textContent)
      .join(" ")
      .toLowerCase(),
    link: document.querySelector<HTMLElement>(`.contents a[href="#${element.id}"]`)?.parentElement,
  }));
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, words: text, link } of entries) {
      const matches = words.every((word) => text.includes(word));
      element.hidden = !matches;
      if (link) link.hidden = !matches;
      if (matches) count++;
    }
    for (const section of document.querySelectorAll<HTMLElement>(".operations > section:not([data-entry])"))
      section.hidden = section.querySelector("[data-entry]:not([hidden])") === null;
    found.textContent = words.length === 0 ? "" : count === 1 ? "1 entry" : `${count} entries`;
  };
  search.closest("p")!.hidden = false;
  search.addEventListener("input", update);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    entries.find(({ element }) => !element.hidden)?.element.scrollIntoView();
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    search.focus();
  });
  update();
}

/** Sends a call with the sample files, and shows the answer. */
async function send(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector("output")!;
  const button = form.querySelector("button")!;
  const path = form.dataset.path!;
  const { developmentKey } = document.querySelector<HTMLElement>("main")!.dataset as { developmentKey: Hex };
  button.disabled = true;
  output.textContent = "Sending …";
  try {
    const fields = JSON.parse(form.querySelector("textarea")!.value) as Record<string, unknown>;
    const { keyPayer, termsOf } = await import("./buying/payer.ts");
    const payment = await keyPayer(developmentKey).sign(await termsOf(path), () => undefined);
    const body = new FormData();
    body.set("file", await asset("sample.pdf"), "sample.pdf");
    if (path.endsWith("/image")) body.set("image", await asset("logo.png"), "logo.png");
    for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
    const headers = { ...payment, "Idempotency-Key": crypto.randomUUID() };
    const answer = await fetch(path, { method: "POST", body, headers });
    const result = (await answer.json()) as { output?: { url: string } };
    output.textContent = `${answer.status}\n${JSON.stringify(result, null, 2)}\n`;
    if (result.output) output.append(linkTo(result.output.url));
  } catch (error) {
    output.textContent = `The call failed: ${error instanceof Error ? error.message : error}`;
  }
  button.disabled = false;
}

async function asset(name: string): Promise<Blob> {
  return (await fetch(`/assets/${name}`)).blob();
}

function linkTo(url: string): HTMLElement {
  const link = document.createElement("a");
  link.href = url;
  link.textContent = "Download the result";
  return link;
}
