/**
 * Describes an order in words, from the arguments of a tool call. The arguments come from a model and are not validated
 * yet.
 */
import { isFieldValue } from "../../src/service/request/fieldKinds.ts";

/** Maximum length of a shown argument in characters. */
const MAX_SHOWN = 80;
/** Arguments of the tool that are not settings of the mark. */
const OTHERS = ["file", "image", "text", "password", "filename"];

/**
 * Describes the mark, the file and the settings: `“DRAFT” on every page of contract.pdf: template stamp, opacity 0.3`.
 */
export function orderInWords(fields: Record<string, unknown>): string {
  const mark = typeof fields.text === "string" ? `“${shown(fields.text)}”` : (nameOf(fields.image) ?? "An image");
  const settings = Object.entries(fields)
    .filter(([name, value]) => !OTHERS.includes(name) && isFieldValue(value))
    .map(([name, value]) => `${shown(name.replaceAll("_", " "))} ${shown(String(value))}`);
  const how = settings.length > 0 ? `: ${settings.join(", ")}` : "";
  return `${mark} on every page of ${nameOf(fields.file) ?? "your PDF"}${how}`;
}

/** Returns the name of the file that an argument refers to, from its URL or from a host's attachment, if known. */
function nameOf(file: unknown): string | undefined {
  const { file_name: name } = Object(file) as { file_name?: unknown };
  if (typeof name === "string" && name !== "") return shown(name);
  if (typeof file !== "string" || !/^https?:/i.test(file)) return undefined;
  const last = URL.parse(file)?.pathname.split("/").at(-1);
  if (!last) return undefined;
  try {
    return shown(decodeURIComponent(last));
  } catch {
    return shown(last);
  }
}

/**
 * Makes untrusted text safe to show within a sentence: short, on one line, and without effect on the direction of other
 * text.
 */
export function shown(text: string): string {
  const plain = text.replace(/\p{Bidi_Control}/gu, "").replace(/[\p{Cc}\s]+/gu, " ");
  const characters = [...plain.trim()];
  const short = characters.length > MAX_SHOWN ? [...characters.slice(0, MAX_SHOWN - 1), "…"] : characters;
  return `\u2068${short.join("")}\u2069`; // isolates right-to-left text (UAX 9)
}
