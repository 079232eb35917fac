import type { Command } from "commander";
import { noticeText } from "../src/service/sale/notices.ts";
import { EXIT, misuse } from "./failure.ts";
import { addFieldOptions, valueOption } from "./fields.ts";
import { findFiles, STANDARD } from "./input.ts";
import type { Io } from "./io.ts";
import { type Job, type Marked, plannerOf } from "./marking.ts";
import { markAll } from "./markThreads.ts";
import { addOutputOptions, findTargets } from "./output.ts";
import { counted, printJson, say, warn } from "./say.ts";
import { addSeriesOption, inRow, type SeriesChoice, variantsOf } from "./series.ts";

const EXAMPLES = `
Examples:
  overprint mark contract.pdf --text CONFIDENTIAL
  overprint mark contract.pdf --text $'Copy for A. Smith\\nPage {page} of {pages}' --template footer -o copy.pdf
  overprint mark *.pdf --image logo.png --position bottom-right --scale 0.2 -o marked/
  overprint mark contracts/ --text DRAFT --jobs 4 -o marked/
  overprint mark contract.pdf --each names.csv --text 'Copy for {name}' -o 'copies/{name}.pdf'
  cat contract.pdf | overprint mark - --text DRAFT --rotation -30 > draft.pdf`;

/** Flags of `overprint mark`. */
interface MarkOptions extends SeriesChoice {
  jobs?: string;
  dryRun?: boolean;
  json?: boolean;
}

const MAX_JOBS = 64;

/** Adds `overprint mark`: runs the engine without a service. */
export function addMark(program: Command, io: Io): void {
  const command = program
    .command("mark")
    .summary("watermark PDFs on this machine, for free")
    .description("Puts a text or an image on every page of PDFs, on this machine and for free.")
    .argument("<files...>", "PDFs, folders with PDFs, or - for standard input");
  addFieldOptions(command);
  addOutputOptions(command);
  addSeriesOption(command);
  const jobs = `Mark this number of files at the same time, at most ${MAX_JOBS}. Default: 1.`;
  command
    .addOption(valueOption(command, "--jobs <number>", jobs))
    .addHelpText("after", EXAMPLES)
    .action((names, options) => mark(names, options, io));
}

async function mark(names: string[], options: MarkOptions, io: Io): Promise<void> {
  const { json, dryRun, jobs: asked = "1" } = options;
  const count = /^\d{1,2}$/.test(asked) ? Number(asked) : 0;
  if (count < 1 || count > MAX_JOBS) throw misuse(`--jobs must be a number from 1 to ${MAX_JOBS}`);
  if (options.each !== undefined && names.includes(STANDARD))
    throw misuse("--each needs a file: standard input can be read only once");
  const variants = await variantsOf(options);
  for (const { row, options } of variants) await inRow(row, () => plannerOf(options as Record<string, unknown>));
  const sources = await findFiles(names, options.output?.replace(/\{.*/s, ""));
  const targets = await findTargets(
    sources,
    variants.map(({ options }) => options),
    io,
  );
  const isPiped = targets[0]!.some(({ path }) => path === STANDARD);
  if (isPiped && json) throw misuse("--json and the PDF cannot both go to stdout: name a file with -o");

  const jobs = variants.flatMap(({ options }, row) =>
    sources.map((source, at): Job => ({ source, target: targets[row]![at]!, options: { ...options } })),
  );
  const results: object[] = [];
  await markAll(jobs, count, io, (at, outcome) => {
    const { source, target } = jobs[at]!;
    const name = source.path ?? STANDARD;
    if ("error" in outcome) {
      results[at] = { source: name, ...(options.each !== undefined && { output: target.path }), ...outcome };
      warn(`overprint: ${source.path ?? "standard input"}: ${outcome.error.message}`, io);
      io.exitCode = EXIT.failed;
    } else {
      results[at] = { source: name, output: target.path, ...outcome };
      if (!json) printMarked(target.path, outcome, dryRun, isPiped ? io.stderr : io.stdout);
    }
  });
  if (json) printJson({ files: results, ...(dryRun && { dry_run: true }) }, io);
}

function printMarked(
  path: string,
  { pages, bytes, notices }: Marked,
  dryRun: boolean | undefined,
  stream: NodeJS.WritableStream,
): void {
  const name = path === STANDARD ? "standard output" : path;
  say(`${name}: ${counted(pages, "page")}, ${counted(bytes, "byte")}${dryRun ? " (not written)" : ""}`, stream);
  for (const notice of notices) say(`${name}: ${noticeText(notice)}`, stream);
}
