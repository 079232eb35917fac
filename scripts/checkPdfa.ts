/**
 * `npm run check:pdfa -- FOLDER` puts marks of every kind on the PDF/A-1b files of a folder, and validates the results
 * with PDFBox Preflight. Each result must be valid, unless a notice says that it is no longer PDF/A. Source files that
 * are already invalid are skipped. Without FOLDER, the script uses small built-in files.
 *
 * The script needs Java and PDFBox's jars: see CONTRIBUTING.md. Set CLASSPATH if the jars are not where Debian installs
 * them.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ImageMark, TEMPLATES, type TemplateName, type TextMark, watermark } from "../src/engine/index.ts";
import { archive } from "../test/engine/pdf/archive.ts";
import { joined } from "../test/support/bytes.ts";
import { RED_PNG } from "../test/support/png.ts";
import { IMAGE_SAMPLES } from "./lib/imageSamples.ts";
import { loadFont } from "./lib/loadFont.ts";
import { TEXT_SAMPLES } from "./lib/textSamples.ts";

const root = join(import.meta.dirname, "..");
const JARS = "pdfbox2 fontbox2 preflight xmpbox commons-logging commons-io jaxb-api javax.activation".split(" ");

const MARKS: Record<string, TextMark | ImageMark> = {
  ...named("template", Object.keys(TEMPLATES) as TemplateName[], (template) => ({
    text: "DRAFT, page {page} of {pages}\nsecond line",
    template,
    opacity: 1,
  })),
  ...named("color", ["#000000", "#ffffff", "#0a64c8"], (color) => ({ text: "DRAFT", color, opacity: 1 })),
  "text in all scripts": { text: Object.values(TEXT_SAMPLES).join("\n"), opacity: 1 },
  ...named("image", Object.keys(IMAGE_SAMPLES), (name) => ({ image: IMAGE_SAMPLES[name]!, opacity: 1 })),
  "image, tiled": { image: RED_PNG, position: "tile", opacity: 1 },
  ...named("layer under, template", Object.keys(TEMPLATES) as TemplateName[], (template) => ({
    text: "DRAFT",
    template,
    layer: "under",
  })),
  ...named("layer under, image", Object.keys(IMAGE_SAMPLES), (name) => ({
    image: IMAGE_SAMPLES[name]!,
    layer: "under",
  })),
  "text at opacity 0.5": { text: "DRAFT", opacity: 0.5 },
  "image at opacity 0.5": { image: RED_PNG, opacity: 0.5 },
};

function named<K extends string>(kind: string, keys: readonly K[], markOf: (key: K) => TextMark | ImageMark) {
  return Object.fromEntries(keys.map((key) => [`${kind} ${key}`, markOf(key)]));
}

const scratch = mkdtempSync(join(tmpdir(), "overprint-pdfa-"));
const classpath = process.env.CLASSPATH ?? JARS.map((jar) => `/usr/share/java/${jar}.jar`).join(":");
const java = spawn("java", ["-cp", classpath, join(root, "scripts/lib/Preflight.java")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const answers = createInterface({ input: java.stdout })[Symbol.asyncIterator]();

/** Returns the PDF/A rules that a file violates. */
async function brokenRules(file: Uint8Array): Promise<string> {
  const path = join(scratch, "judged.pdf");
  writeFileSync(path, file);
  java.stdin.write(`${path}\n`);
  const { done, value } = await answers.next();
  if (done) throw new Error("PDFBox Preflight could not be run. Install what CONTRIBUTING.md lists.");
  return value;
}

try {
  const [folder] = process.argv.slice(2);
  const files = folder ? filesOf(folder) : [undefined, 1, 3, 4].map((intent) => archive({ part: 1, intent }));
  const valid: Uint8Array[] = [];
  for (const file of files) if ((await brokenRules(file)) === "") valid.push(file);
  console.log(`${valid.length} of ${files.length} files are valid PDF/A-1b before they are marked.`);
  if (valid.length === 0) process.exitCode = 1;

  for (const [name, mark] of Object.entries(MARKS)) {
    const counts = { valid: 0, "invalid, with a notice": 0, wrong: 0 };
    const wrong = new Set<string>();
    for (const file of valid) {
      const plan = await watermark(file, mark as TextMark, { loadFont });
      const rules = await brokenRules(await joined(plan.chunks()));
      const isNoticed = plan.notices.some((notice) => notice.startsWith("pdfa-"));
      counts[isNoticed !== (rules !== "") ? "wrong" : isNoticed ? "invalid, with a notice" : "valid"]++;
      if (isNoticed !== (rules !== "")) wrong.add(rules || "valid, although a notice says that it is no longer PDF/A");
    }
    console.log(
      `${name}: ${Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join("; ")}`,
    );
    for (const rules of wrong) console.log(`  ${rules}`);
    if (wrong.size > 0) process.exitCode = 1;
  }
} finally {
  java.stdin.end();
  rmSync(scratch, { recursive: true, force: true });
}

function filesOf(folder: string): Uint8Array[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".pdf"));
  return names.map((name) => new Uint8Array(readFileSync(join(folder, name))));
}
