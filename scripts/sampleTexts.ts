/**
 * `npm run sample-texts -- SEED` draws 100 comments, 60 test names and 60 sentences of the documentation for a review.
 * A reader must understand each text at the first reading. Equal seeds draw equal texts, unless the sources change.
 */
import { join } from "node:path";
import { filesWithTexts, type Text, textsOf } from "./words/texts.ts";

const COUNTS = { comment: 100, test: 60, document: 60 };
const root = join(import.meta.dirname, "..");
const seed = Number(process.argv[2] ?? 1);

/** Returns a seeded generator of numbers in [0, 1) (Mulberry32). */
function randomFrom(state: number): () => number {
  let a = state >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Splits documentation into sentences, and omits sentences with fewer than three words outside code. */
function sentences(text: Text): Text[] {
  const parts = text.text.split(/(?<=[.!?:])\s+(?=[\p{Lu}`"[])/u);
  const words = (part: string) => part.replaceAll(/`[^`]*`/g, "").match(/\p{L}{2,}/gu) ?? [];
  return parts.filter((part) => words(part).length > 2).map((part) => ({ ...text, text: part }));
}

const texts = filesWithTexts(root).flatMap((path) => textsOf(root, path));
const random = randomFrom(seed);
for (const [kind, count] of Object.entries(COUNTS)) {
  let pool = texts.filter((text) => text.kind === kind);
  if (kind === "document") pool = pool.flatMap(sentences);
  if (kind === "comment") pool = pool.filter(({ path, text }) => !path.endsWith(".md") && text.split(" ").length > 2);
  console.log(`\n# ${count} of ${pool.length}: ${kind}`);
  for (let drawn = 0; drawn < count && pool.length > 0; drawn++) {
    const [text] = pool.splice(Math.floor(random() * pool.length), 1);
    console.log(`${drawn + 1}. ${text!.path}:${text!.line}  ${text!.text}`);
  }
}
