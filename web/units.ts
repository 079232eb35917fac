/** Shows lengths in the visitor's unit. The API accepts points. */

import { withPoint } from "./numbers.ts";
import { recall, remember } from "./storage.ts";

/** Points per unit. */
const POINTS = { pt: 1, mm: 72 / 25.4, in: 72 } as const;
type Unit = keyof typeof POINTS;

const STORAGE = "overprint.unit";
const picker = document.getElementById("unit") as HTMLSelectElement | null;
let unit: Unit = "pt";

/** Converts a length in the visitor's unit to points, rounded to a hundredth. */
export function toPoints(length: number): number {
  return Math.round(length * POINTS[unit] * 100) / 100;
}

/** Converts a length in points to the visitor's unit, and appends the unit's name. */
export function lengthInWords(points: number): string {
  return `${fromPoints(points)} ${unit}`;
}

/** Converts a length in points to the visitor's unit. */
export function fromPoints(points: number): string {
  return String(Number((points / POINTS[unit]).toFixed(unit === "in" ? 4 : 2)));
}

/** Lets the visitor choose the unit, and restores the latest choice. */
export function enableUnits(): void {
  if (!picker) return;
  picker.addEventListener("change", () => {
    select(picker.value as Unit);
    remember(STORAGE, unit);
  });
  const saved = recall(STORAGE);
  if (typeof saved !== "string" || !Object.hasOwn(POINTS, saved)) return;
  picker.value = saved;
  select(saved as Unit);
}

/** Converts the values and defaults of all controls of lengths. */
function select(chosen: Unit): void {
  const from = POINTS[unit];
  unit = chosen;
  const convert = (text: string) => {
    const length = Number(withPoint(text));
    return text === "" || Number.isNaN(length) ? text : fromPoints(length * from);
  };
  for (const input of document.querySelectorAll<HTMLInputElement>("input[data-length]")) {
    const isDefault = input.value === input.defaultValue;
    const value = convert(input.value);
    const { length } = input.dataset; // the default in points
    input.defaultValue = length ? fromPoints(Number(length)) : "";
    input.value = isDefault ? input.defaultValue : value; // converting a rounded value again would change it
  }
  for (const label of document.querySelectorAll("[data-unit]")) label.textContent = unit;
  const name = picker!.selectedOptions[0]!.textContent;
  for (const word of document.querySelectorAll("[data-unit-name]")) word.textContent = name;
}
