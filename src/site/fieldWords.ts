/** The request fields and their values in plain words, for visitors. The client scripts use this file, too. */
import type { FieldValue } from "../service/request/fieldKinds.ts";

/** The labels of request fields in plain words, by the name of the field. */
export const LABELS: Readonly<Record<string, string>> = {
  text: "Text",
  image: "Image",
  template: "Template",
  position: "Position",
  opacity: "Opacity",
  layer: "Layer",
  rotation: "Rotation",
  font_size: "Size",
  scale: "Width",
  edge: "White edge",
  color: "Color",
  lang: "Language",
  font: "Typeface",
  page_start: "First page number",
  margin: "Margin",
  box: "Page box",
  offset_x: "Move right",
  offset_y: "Move up",
  tile_gap: "Gap between copies",
  password: "Password of the PDF",
  filename: "File name of the result",
};

/** Fields whose values are lengths. The API takes points, and the page also takes other units. */
export const LENGTHS: readonly string[] = ["font_size", "margin", "offset_x", "offset_y"];

/** Fields whose values are fractions, such as 0.5. The page shows them in percent. */
const SHARES: readonly string[] = ["opacity", "scale"];

/** Choices whose names in the API are not plain words, by the name of the field. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  position: { tile: "Repeated", diagonal: "Along the diagonal", auto: "Emptiest place" },
  layer: { over: "Over the page", under: "Under the page" },
  font: { sans: "Sans-serif" },
  box: { crop: "Visible page", trim: "Trimmed page" },
  edge: { auto: "Where the page is dark", none: "No edge" },
};

/** Returns a choice in plain words. */
export function choiceInWords(field: string, name: string): string {
  return CHOICES[field]?.[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}

/** Fields whose values are names from a list. */
const LISTS: readonly string[] = ["template", ...Object.keys(CHOICES)];

/** Returns the value of a field in plain words, with its unit. Lengths are in points. */
export function valueInWords(field: string, value: FieldValue): string {
  if (LISTS.includes(field)) return choiceInWords(field, String(value));
  if (SHARES.includes(field)) return `${Math.round(Number(value) * 100)} %`;
  if (LENGTHS.includes(field)) return `${value} pt`;
  return field === "rotation" ? `${value}°` : String(value);
}

/** Returns a field and its value as a part of a list, such as `“DRAFT”`, `stamp` or `opacity 50 %`. */
export function fieldInWords(field: string, value: FieldValue): string {
  if (field === "text") return `“${value}”`;
  const words = valueInWords(field, value);
  const shown = LISTS.includes(field) ? words.toLowerCase() : words;
  return field === "template" ? shown : `${(LABELS[field] ?? field).toLowerCase()} ${shown}`;
}
