/**
 * `npm run words` fails if comments, test names, strings or documentation contain a phrase of the word list. `npm run
 * words -- src/engine docs/cli.md` checks only these files. `scripts/words/exceptions.txt` lists justified exceptions.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AVOIDED, AVOIDED_OPENERS } from "./words/list.ts";
import { filesWithTexts, textsOf } from "./words/texts.ts";

const root = join(import.meta.dirname, "..");
const parts = process.argv.slice(2);

/** Lines of the form `path: phrase`. Each line allows the phrase in every text of its file. */
const exceptions = readFileSync(join(root, "scripts/words/exceptions.txt"), "utf8")
  .split("\n")
  .filter((line) => line && !line.startsWith("#"));

const isAllowed = (path: string, phrase: string) =>
  exceptions.some((line) => line.toLowerCase() === `${path}: ${phrase}`.toLowerCase());

let faults = 0;
let count = 0;
for (const path of filesWithTexts(root)) {
  if (parts.length > 0 && !parts.some((part) => path === part || path.startsWith(`${part.replace(/\/$/, "")}/`)))
    continue;
  for (const { kind, line, text } of textsOf(root, path)) {
    count++;
    const prose = text.replaceAll(/`[^`]*`/g, "`…`");
    const report = (phrase: string, instead: string) => {
      if (isAllowed(path, phrase)) return;
      faults++;
      console.error(`${path}:${line}: "${phrase}" (${instead}): ${text.slice(0, 140)}`);
    };
    for (const [pattern, instead] of AVOIDED) {
      const phrase = pattern.exec(prose)?.[0];
      if (phrase) report(phrase, instead);
    }
    const opener = kind === "comment" ? AVOIDED_OPENERS.exec(prose)?.[0] : undefined;
    if (opener) report(opener, "start with the noun or verb of the field");
  }
}
if (faults > 0) {
  console.error(`${faults} phrases to rewrite: docs/contributing/writing.md`);
  process.exitCode = 1;
} else console.log(`${count} texts without a phrase of the word list`);
