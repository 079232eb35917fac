import { createReadStream } from "node:fs";
import { type FileHandle, glob, open, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { checkMark, type RangeReader } from "../src/engine/index.ts";
import { expectPdf, HEAD_LENGTH } from "../src/inputs/sniff.ts";
import { Problem } from "../src/shared/problems.ts";
import { EXIT, Failure, failureOf, reasonOf } from "./failure.ts";
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
  /** Whether the source is standard input. */
  isPiped: boolean;
}

/** An opened PDF. */
export interface Input {
  content: Uint8Array<ArrayBuffer> | RangeReader;
  close(): Promise<void>;
}

/**
 * Returns the files that the arguments name, without duplicates. Expands names with wildcards, because Windows shells
 * do not. Does not expand a name that is the exact name of a file.
 * @throws Failure for a missing file or a folder
 */
export async function findFiles(names: readonly string[]): Promise<SourceFile[]> {
  const paths = new Set<string>();
  for (const name of names) {
    if (name === STANDARD) paths.add(name);
    else if (/[*?[{]/.test(name) && !(await exists(name))) for (const path of await matching(name)) paths.add(path);
    else paths.add(await fileAt(name));
  }
  return Array.from(paths, (path) =>
    path === STANDARD
      ? { path: undefined, stem: "standard-input", isPiped: true }
      : { path, stem: stemOf(path), isPiped: false },
  );
}

async function matching(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const path of glob(pattern)) if ((await stat(path)).isFile()) files.push(path);
  if (files.length === 0) throw new Failure("no_file", `${pattern}: no file matches`, EXIT.usage);
  return files.sort();
}

async function fileAt(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw new Failure("no_file", `${path}: ${reasonOf(error)}`, EXIT.usage);
  });
  if (found.isDirectory())
    throw new Failure(
      "no_file",
      `${path} is a folder: name the files in it, such as ${path.replace(/\/$/, "")}/*.pdf`,
      EXIT.usage,
    );
  return path;
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
