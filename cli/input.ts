import { createReadStream } from "node:fs";
import { type FileHandle, glob, open, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { buffer } from "node:stream/consumers";
import { checkMark, type RangeReader } from "../src/engine/index.ts";
import { expectPdf, HEAD_LENGTH } from "../src/inputs/sniff.ts";
import { Problem } from "../src/shared/problems.ts";
import { EXIT, Failure, failureOf, misuse, reasonOf } from "./failure.ts";
import type { Io } from "./io.ts";

/** The file name that stands for standard input or standard output. */
export const STANDARD = "-";

/** Files above this size are read by ranges, never as a whole. */
const LARGE_BYTES = 16e6;
const STREAMED_BYTES = 2 ** 20;

/** A PDF named by an argument. */
export interface SourceFile {
  /** Path of the PDF. Undefined for standard input, and for sources that only the deployment reads. */
  path: string | undefined;
  /** File name without folder and extension. The name of the result is derived from it. */
  stem: string;
  /**
   * Path of the file's folder, relative to the folder that the argument names. Empty if the argument names the file.
   */
  below: string;
  /** Whether the source is standard input. */
  isPiped: boolean;
}

/** An opened PDF. */
export interface Input {
  content: Uint8Array<ArrayBuffer> | RangeReader;
  close(): Promise<void>;
}

/**
 * Returns the files that the arguments name, without duplicates. A folder stands for the PDFs in it and in its
 * subfolders. Expands names with wildcards, because Windows shells do not. Does not expand a name that is the exact
 * name of a file.
 * @param output destination of the results; if it is a folder inside a named folder, the PDFs in it are left out
 * @throws Failure for a missing file, and for a folder without PDFs
 */
export async function findFiles(names: readonly string[], output?: string): Promise<SourceFile[]> {
  const found = new Map<string, string>(); // the value of `below`, by the path of the file
  const add = (path: string, below = "") => found.has(path) || found.set(path, below);
  for (const name of names) {
    if (name === STANDARD) add(name);
    else if (/[*?[{]/.test(name) && !(await exists(name))) for (const path of await matching(name)) add(path);
    else if (await isFolder(name))
      for (const path of await filesIn(name, output)) add(path, relative(name, dirname(path)));
    else add(name);
  }
  return Array.from(found, ([path, below]) =>
    path === STANDARD
      ? { path: undefined, stem: "standard-input", below, isPiped: true }
      : { path, stem: stemOf(path), below, isPiped: false },
  );
}

/**
 * Returns the single file that an argument names.
 * @param command name of the command, for the message
 * @throws Failure if the argument names several files
 */
export async function findFile(name: string, command: string): Promise<SourceFile> {
  const [source, ...more] = await findFiles([name]);
  if (more.length > 0)
    throw misuse(`${name} matches ${more.length + 1} files, but ${command} takes one: run it once for each file`);
  return source!;
}

async function matching(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const path of glob(pattern)) if ((await stat(path)).isFile()) files.push(path);
  if (files.length === 0) throw new Failure("no_file", `${pattern}: no file matches`, EXIT.usage);
  return files.sort();
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw new Failure("no_file", `${path}: ${reasonOf(error)}`, EXIT.usage);
  });
  return found.isDirectory();
}

/**
 * Returns the PDFs in a folder and its subfolders. Leaves out hidden files. Also leaves out the folder `output` if it
 * is a subfolder, so that the same command can run again.
 */
async function filesIn(folder: string, output: string | undefined): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new Failure("no_file", `${folder}: ${reasonOf(error)}`, EXIT.usage);
  });
  const isHidden = (name: string) => name.split(sep).some((part) => part.startsWith("."));
  const isIn = (path: string, parent: string) => resolve(path).startsWith(resolve(parent) + sep);
  const isResult = (path: string) => output !== undefined && isIn(output, folder) && isIn(path, output);
  const files: string[] = [];
  for (const name of names.filter((name) => /\.pdf$/i.test(name) && !isHidden(name))) {
    const path = join(folder, name);
    if (!isResult(path) && (await stat(path).catch(() => undefined))?.isFile()) files.push(path);
  }
  if (files.length === 0) throw new Failure("no_file", `${folder}: the folder contains no PDF`, EXIT.usage);
  return files.sort();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Opens a PDF. Reads small files and pipes as a whole, and large files by ranges.
 * @throws Failure if the file cannot be read
 * @throws Problem not_a_pdf if the first bytes show another format
 */
export async function openInput({ path }: SourceFile, { stdin }: Io): Promise<Input> {
  if (path === undefined) return whole(await buffer(stdin));
  const file = await open(path).catch((error: unknown) => {
    throw new Failure("unreadable", reasonOf(error));
  });
  try {
    const found = await file.stat();
    if (found.isFile() && found.size > LARGE_BYTES) return await byRanges(path, file, found.size);
    const content = await file.readFile();
    await file.close();
    return whole(content);
  } catch (error) {
    await file.close();
    if (error instanceof Problem) throw error;
    throw new Failure("unreadable", reasonOf(error));
  }
}

function whole(bytes: Buffer): Input {
  const content = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length);
  expectPdf(content.subarray(0, HEAD_LENGTH), undefined);
  return { content, async close() {} };
}

async function byRanges(path: string, file: FileHandle, length: number): Promise<Input> {
  const read = async (start: number, end: number) =>
    (await file.read(new Uint8Array(end - start), 0, end - start, start)).buffer;
  expectPdf(await read(0, HEAD_LENGTH), undefined);
  const stream = (start: number, end: number) =>
    createReadStream(path, { start, end: end - 1, highWaterMark: STREAMED_BYTES });
  return { content: { length, read, stream }, close: () => file.close() };
}

/**
 * Reads and checks the image of an image mark.
 * @throws Failure if the file cannot be read or is not a usable image
 */
export async function readImageFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Failure("no_file", `${path}: ${reasonOf(error)}`, EXIT.usage);
  });
  const image = new Uint8Array(bytes);
  try {
    checkMark({ image });
  } catch (error) {
    const { code, message } = failureOf(error);
    throw new Failure(code, `${path}: ${message}`);
  }
  return image;
}

/** Returns the name of a file without its folder and its extension `.pdf`. */
export function stemOf(path: string): string {
  return basename(path).replace(/\.pdf$/i, "");
}
