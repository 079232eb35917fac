/** What is asked for, in words, from the arguments of a call: a model has written them, and nothing about them is sure. */

/** The longest that is shown of one argument, in characters. */
const MAX_SHOWN = 80;
/** Arguments that are not settings of the mark. */
const OTHERS = ["file", "image", "text", "password", "filename"];

/** Says what is laid over which file, and how: `“DRAFT” over every page of contract.pdf: template stamp, opacity 0.3`. */
export function orderInWords(fields: Record<string, unknown>): string {
  const mark = typeof fields.text === "string" ? `“${shown(fields.text)}”` : (nameOf(fields.image) ?? "An image");
  const settings = Object.entries(fields)
    .filter(([name, value]) => !OTHERS.includes(name) && (typeof value === "string" || typeof value === "number"))
    .map(([name, value]) => `${shown(name.replaceAll("_", " "))} ${shown(String(value))}`);
  const how = settings.length > 0 ? `: ${settings.join(", ")}` : "";
  return `${mark} over every page of ${nameOf(fields.file) ?? "your PDF"}${how}`;
}

/** Returns the name of a file that an argument points to, if it tells one: by its address, or as hosts hand files on. */
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

/** Returns foreign text as it can be shown within a sentence: short, on one line, and without a hold on what is around it. */
export function shown(text: string): string {
  const plain = text.replace(/\p{Bidi_Control}/gu, "").replace(/[\p{Cc}\s]+/gu, " ");
  const characters = [...plain.trim()];
  const short = characters.length > MAX_SHOWN ? [...characters.slice(0, MAX_SHOWN - 1), "…"] : characters;
  return `\u2068${short.join("")}\u2069`; // what is written from right to left stays by itself (UAX 9, isolates)
}
