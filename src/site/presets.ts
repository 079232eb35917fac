import type { FieldValue } from "../service/request/fieldKinds.ts";

/** Settings that a visitor can start from. */
export interface Preset {
  label: string;
  operation: "text" | "image";
  fields: Readonly<Record<string, FieldValue>>;
}

/** Placeholder for the words that the visitor fills in. The page selects this placeholder, so that typing replaces it. */
export const BLANK = "NAME";

/** The presets in display order. */
export const PRESETS: readonly Preset[] = [
  { label: "Confidential", operation: "text", fields: { text: "CONFIDENTIAL" } },
  { label: "Draft", operation: "text", fields: { text: "DRAFT", template: "outline", opacity: 0.5 } },
  {
    label: "Copy for …",
    operation: "text",
    fields: { text: `Copy for ${BLANK}`, template: "tiled", position: "auto" },
  },
  {
    label: "Page 1 of 9",
    operation: "text",
    fields: { text: "Page {page} of {pages}", template: "footer", opacity: 0.8 },
  },
  {
    label: "Licensed to …",
    operation: "text",
    fields: { text: `Licensed to ${BLANK}, {date}`, template: "footer", opacity: 0.8 },
  },
  { label: "Paid", operation: "text", fields: { text: "PAID", template: "stamp", position: "auto", opacity: 0.8 } },
  {
    label: "Logo bottom right",
    operation: "image",
    fields: { position: "bottom-right", scale: 0.2, opacity: 1 },
  },
];
