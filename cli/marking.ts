/** Marks one file with the engine, on this machine. */
import {
  checkMark,
  type Notice,
  PlanOutdated,
  type RangeReader,
  type WatermarkPlan,
  watermark,
} from "../src/engine/index.ts";
import { imageMarkOf, textMarkOf } from "../src/service/request/marks.ts";
import { checkFields } from "./fields.ts";
import { loadFont } from "./fonts.ts";
import { openInput, readImageFile, type SourceFile } from "./input.ts";
import type { Io } from "./io.ts";
import { beginWriting, type Target } from "./output.ts";
import { showProgress } from "./progress.ts";

/** A file to mark. It is plain data, so that it can be sent to a thread. */
export interface Job {
  source: SourceFile;
  target: Target;
  /** The options that commander parsed, with the columns of a row filled in. */
  options: Record<string, unknown>;
}

/** Facts about a marked file. */
export interface Marked {
  pages: number;
  bytes: number;
  notices: readonly Notice[];
}

/** Plans the mark for a PDF. */
export type Planner = (
  source: Uint8Array | RangeReader,
  options: { thorough: boolean; filename: string | undefined },
) => Promise<WatermarkPlan>;

/**
 * Checks everything about a mark that does not depend on the PDF. Returns the function that plans the mark for a PDF.
 */
export async function plannerOf(options: Record<string, unknown>): Promise<Planner> {
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
 * function makes a more thorough plan and copies the file again. With `--dry-run`, makes only the plan.
 */
export async function markFile({ source, target, options }: Job, planner: Planner, io: Io): Promise<Marked> {
  const { content, close } = await openInput(source, io);
  const plan = (thorough: boolean) => planner(content, { thorough, filename: source.path });
  try {
    if (options.dryRun) return markedBy(await plan(true));
    // makes the thorough plan at once for a pipe, because bytes already written to a pipe cannot be replaced
    if (!target.isFile) return await write(await plan(true), target, io);
    return await write(await plan(false), target, io).catch(async (error: unknown) => {
      if (!(error instanceof PlanOutdated)) throw error;
      return write(await plan(true), target, io);
    });
  } finally {
    await close();
  }
}

function markedBy({ pages, length, notices }: WatermarkPlan): Marked {
  return { pages, bytes: length, notices };
}

async function write(plan: WatermarkPlan, target: Target, io: Io): Promise<Marked> {
  const writing = await beginWriting(target, io);
  const progress = showProgress("Writing", plan.length, io);
  try {
    for await (const chunk of plan.chunks()) {
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
  return markedBy(plan);
}
