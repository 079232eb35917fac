/** Updates the controls when the visitor moves, turns or scales the mark by hand. */
import type { FieldValue } from "../src/service/request/fieldKinds.ts";
import type { Adjustment } from "./handles.ts";
import { moved, scaled, shapeOf, wholeAngle } from "./markGeometry.ts";
import { MARK_SIZE } from "./markSize.ts";
import { readSettings } from "./settings.ts";
import { setField } from "./sharedSettings.ts";
import { toPoints } from "./units.ts";

/**
 * Begins a change of the mark by hand. The returned function sets the controls for each step of the change. Each step
 * is relative to the settings at the beginning.
 * @param isCurrent whether the outline on the page results from the current settings
 */
export function beginAdjusting(isCurrent: boolean): (adjustment: Adjustment) => void {
  const { operation, fields } = readSettings();
  const form = formOf(operation);
  const control = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)!;
  const set = (name: string, value: FieldValue | undefined) => setField(operation, name, value);
  const setNumber = (name: string, value: number, digits: number) => {
    const { min, max } = control(name).dataset;
    set(name, rounded(Math.min(Number(max), Math.max(Number(min), value)), digits));
  };
  const position = positionIn(form);
  const margin = toPoints(Number(control("margin").value));
  const offset = { x: Number(fields.offset_x ?? 0), y: Number(fields.offset_y ?? 0) };
  // while the preview lags behind quick key presses, the controls have the latest values
  const latest = (name: string, shown: number) => (isCurrent ? shown : Number(fields[name] ?? shown));

  return (adjustment) => {
    const { kind, outline, by } = adjustment;
    const { angle } = shapeOf(outline);
    if (kind === "turn") return setNumber("rotation", wholeAngle(latest("rotation", angle) + by, adjustment.snap), 0);
    if (kind === "scale") {
      const { field, step, sizeOn } = MARK_SIZE[operation];
      return setNumber(field, scaled(rounded(latest(field, sizeOn(outline)) / step, 0) * step, by, step), 2);
    }
    const to = isCurrent
      ? moved(outline, { position, offset, margin }, by, adjustment.snap)
      : { position, offset: { x: offset.x + by.x, y: offset.y + by.y } };
    set("position", to.position === position ? fields.position : to.position);
    setNumber("offset_x", to.offset.x, 1);
    setNumber("offset_y", to.offset.y, 1);
    if (operation === "image") return;
    // the default size and angle of a text differ between the middle of the page and other positions
    const isNewSize = fields.font_size === undefined && isInMiddle(position) !== isInMiddle(to.position);
    const isNewAngle = fields.rotation === undefined && position === "diagonal" && to.position !== position;
    set("font_size", isNewSize ? rounded(MARK_SIZE.text.sizeOn(outline), 1) : fields.font_size);
    set("rotation", isNewAngle ? rounded(angle, 1) : fields.rotation);
  };
}

/** Describes the value that a change of this kind has set. */
export function resultOf(kind: Adjustment["kind"]): string {
  const { operation } = readSettings();
  const form = formOf(operation);
  const textOf = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)!.value;
  const unit = (document.getElementById("unit") as HTMLSelectElement).selectedOptions[0]!.text;
  if (kind === "turn") return `Rotation ${textOf("rotation")} degrees.`;
  if (kind === "scale")
    return operation === "text"
      ? `Size ${textOf("font_size")} ${unit}.`
      : `Width ${Math.round(Number(textOf("scale")) * 100)} % of the page.`;
  const distance = (name: string, onward: string, back: string) => {
    const value = Number(textOf(name));
    return value === 0 ? [] : [`${Math.abs(value)} ${unit} ${value > 0 ? onward : back}`];
  };
  const offsets = [...distance("offset_x", "right", "left"), ...distance("offset_y", "up", "down")];
  return `${[`Position ${positionIn(form).replace("-", " ")}`, ...offsets].join(", ")}.`;
}

/** Returns the chosen position of the mark, or the template's position if none is chosen. */
export function chosenPosition(operation: string): string {
  return positionIn(formOf(operation));
}

function formOf(operation: string): HTMLFormElement {
  return document.querySelector<HTMLFormElement>(`form[data-operation=${operation}]`)!;
}

function positionIn(form: HTMLFormElement): string {
  const chosen = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]:checked`)!;
  return chosen("position").value || chosen("template").dataset.position!;
}

function isInMiddle(position: string): boolean {
  return position === "center" || position === "diagonal";
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
