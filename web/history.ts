/**
 * Remembers settings: the latest ones for the next visit, earlier ones for undo, and those that the visitor bought or
 * shared.
 */
import { fieldInWords } from "../src/site/fieldWords.ts";
import { applySettings, type StoredSettings } from "./sharedSettings.ts";
import { recall, remember } from "./storage.ts";

const LATEST = "overprint.settings";
const USED = "overprint.recent";
/** Maximum number of undo steps, and maximum length of the list of recent settings. */
const MAX_STEPS = 100;
const MAX_USED = 6;
/** Changes within this time form one undo step, such as the letters of a word. */
const STEP_MS = 800;

const undo = document.getElementById("undo") as HTMLButtonElement;
const redo = document.getElementById("redo") as HTMLButtonElement;
const recent = document.getElementById("recent") as HTMLDetailsElement;

const past: string[] = [];
const future: string[] = [];
let current: string | undefined;
let changedAt = 0;

/**
 * Restores the settings of the latest visit, and enables the buttons to undo and redo and the list of recent settings.
 * @param changed is called after settings are applied
 */
export function enableHistory(changed: () => void): void {
  const apply = (settings: unknown) => {
    if (applySettings(settings)) changed();
  };
  const step = (from: string[], to: string[]) => {
    const next = from.pop();
    if (next === undefined) return;
    to.push(current!);
    current = next;
    changedAt = 0;
    apply(JSON.parse(next));
    showSteps();
  };
  undo.addEventListener("click", () => step(past, future));
  redo.addEventListener("click", () => step(future, past));
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) step(future, past);
    else step(past, future);
  });
  recent.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return;
    recent.open = false;
    recent.querySelector("summary")!.focus(); // keeps the focus on the page, because the pressed button is hidden now
    apply(used()[Number(target.value)]);
  });
  applySettings(recall(LATEST));
  showUsed();
}

/** Remembers the current settings, after each change. */
export function remembered(settings: StoredSettings): void {
  const now = JSON.stringify(settings);
  if (now === current) return;
  if (current !== undefined) {
    if (Date.now() - changedAt > STEP_MS) past.push(current);
    if (past.length > MAX_STEPS) past.shift();
    future.length = 0;
    changedAt = Date.now();
    remember(LATEST, settings);
  }
  current = now;
  showSteps();
}

/** Forgets the settings of the latest visit. */
export function forgetLatest(): void {
  remember(LATEST, undefined);
}

/** Adds settings to the list of recent settings, because the visitor bought a file with them or shared them. */
export function addRecent(settings: StoredSettings): void {
  const text = JSON.stringify(settings);
  remember(USED, [settings, ...used().filter((one) => JSON.stringify(one) !== text)].slice(0, MAX_USED));
  showUsed();
}

function used(): StoredSettings[] {
  const list = recall(USED);
  return Array.isArray(list) ? list : [];
}

function showSteps(): void {
  // sets `aria-disabled`, because a button that becomes `disabled` would lose the focus
  undo.ariaDisabled = String(past.length === 0);
  redo.ariaDisabled = String(future.length === 0);
}

function showUsed(): void {
  const buttons = used().map(({ operation, fields }, index) => {
    const words = Object.entries(fields).map(([name, value]) => fieldInWords(name, value));
    if (operation === "image") words.unshift("Image");
    const button = document.createElement("button");
    button.type = "button";
    button.value = String(index);
    button.textContent = words.join(", ").slice(0, 60);
    return button;
  });
  recent.replaceChildren(recent.firstElementChild!, ...buttons);
  recent.hidden = buttons.length === 0;
}

/** Returns whether an element has its own undo history for typed text. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox", "range", "color", "file"].includes(target.type);
}
