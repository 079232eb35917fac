import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import {
  checkMark,
  type LoadFont,
  type Notice,
  PlanOutdated,
  type RangeReader,
  type WatermarkPlan,
  watermark,
} from "../src/engine/index.ts";
import { imageMarkOf, textMarkOf } from "../src/service/request/marks.ts";
import { noticeText } from "../src/service/sale/notices.ts";
import { EXIT, failureOf, misuse } from "./failure.ts";
import { addFieldOptions, checkFields } from "./fields.ts";
import { findFiles, openInput, readImageFile, type SourceFile, STANDARD } from "./input.ts";
import { isStopping } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { addOutputOptions, beginWriting, findTargets, type OutputChoice, type Target } from "./output.ts";
import { showProgress } from "./progress.ts";
import { ROOT } from "./root.ts";
import { counted, printJson, say, warn } from "./say.ts";

const EXAMPLES = `
Examples:
  overprint mark contract.pdf --text CONFIDENTIAL
  overprint mark contract.pdf --text $'Copy for A. Smith\\nPage {page} of {pages}' --template footer -o copy.pdf
  overprint mark *.pdf --image logo.png --position bottom-right --scale 0.2 -o marked/
  cat contract.pdf | overprint mark - --text DRAFT --rotation -30 > draft.pdf`;

/** Adds `overprint mark`: runs the engine without a service. */
export function addMark(program: Command, io: Io): void {
  const command = program
    .command("mark")
    .summary("watermark PDFs on this machine, for free")
    .description("Puts a text or an image on every page of PDFs, on this machine and for free.")
    .argument("<files...>", "PDFs, or - for standard input");
  addFieldOptions(command);
  addOutputOptions(command);
  command.addHelpText("after", EXAMPLES).action((names, options) => mark(names, options, io));
}

/** Facts about a marked file. */
interface Marked {
  pages: number;
  bytes: number;
  notices: readonly Notice[];
}

async function mark(names: string[], options: OutputChoice & { json?: boolean }, io: Io): Promise<void> {
  const planner = await plannerOf(options as Record<string, unknown>);
  const files = await findFiles(names);
  const targets = await findTargets(files, options, io);
  const isPiped = targets.some(({ path }) => path === STANDARD);
  if (isPiped && options.json) throw misuse("--json and the PDF cannot both go to stdout: name a file with -o");

  const results: object[] = [];
  for (const [at, file] of files.entries()) {
    const target = targets[at]!;
    const source = file.path ?? STANDARD;
    try {
      const marked = await markFile(file, target, planner, io);
      results.push({ source, output: target.path, ...marked });
      if (!options.json) printMarked(target.path, marked, isPiped ? io.stderr : io.stdout);
    } catch (error) {
      if (isStopping()) throw error;
      const { code, message } = failureOf(error);
      results.push({ source, error: { code, message } });
      warn(`overprint: ${source === STANDARD ? "standard input" : source}: ${message}`, io);
      io.exitCode = EXIT.failed;
    }
  }
  if (options.json) printJson({ files: results }, io);
}

function printMarked(path: string, { pages, bytes, notices }: Marked, stream: NodeJS.WritableStream): void {
  const name = path === STANDARD ? "standard output" : path;
  say(`${name}: ${counted(pages, "page")}, ${counted(bytes, "byte")}`, stream);
  for (const notice of notices) say(`${name}: ${noticeText(notice)}`, stream);
}

type Planner = (
  source: Uint8Array | RangeReader,
  options: { thorough: boolean; filename: string | undefined },
) => Promise<WatermarkPlan>;

const loadFont: LoadFont = (path) => readFile(join(ROOT, "fonts", path));

/**
 * Checks everything about a mark that does not depend on the PDF. Returns the function that plans the mark for a PDF.
 */
async function plannerOf(options: Record<string, unknown>): Promise<Planner> {
  const checked = checkFields(options);
  const { password, filename } = checked.request;
  if (checked.operation === "text") {
    const mark = textMarkOf(checked.request);
    checkMark(mark);
    return (source, options) =>
      watermark(source, mark, { password, ...options, filename: options.filename ?? filename, loadFont });
  }
  const mark = imageMarkOf(checked.request, await readImageFile(checked.imagePath));
  return (source, options) => watermark(source, mark, { password, ...options });
}

/**
 * Marks one file. The engine plans the output before it copies the file. If the copied bytes contradict the plan, the
 * function makes a more thorough plan and copies the file again.
 */
async function markFile(source: SourceFile, target: Target, planner: Planner, io: Io): Promise<Marked> {
  const { content, close } = await openInput(source, io);
  const plan = (thorough: boolean) => planner(content, { thorough, filename: source.path });
  try {
    if (!target.isFile) return await write(await plan(true), target, io); // makes the thorough plan at once for a pipe, because bytes already written to a pipe cannot be replaced
    return await write(await plan(false), target, io).catch(async (error: unknown) => {
      if (!(error instanceof PlanOutdated)) throw error;
      return write(await plan(true), target, io);
    });
  } finally {
    await close();
  }
}

async function write({ pages, length, notices, chunks }: WatermarkPlan, target: Target, io: Io): Promise<Marked> {
  const writing = await beginWriting(target, io);
  const progress = showProgress("Writing", length, io);
  try {
    for await (const chunk of chunks()) {
      await writing.write(chunk);
      progress.add(chunk.length);
    }
  } catch (error) {
    await writing.discard();
    throw error;
  } finally {
    progress.end();
  }
  await writing.complete();
  return { pages, bytes: length, notices };
}
