import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { Failure, misuse, reasonOf } from "./failure.ts";
import { valueOption } from "./fields.ts";
import { type SourceFile, STANDARD } from "./input.ts";
import { isStopping, whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";

/** The destination of a result. */
export interface Target {
  /** A path, or `-` for standard output. */
  path: string;
  /** Whether the path is a regular file or does not exist yet. Such a file is replaced completely or not at all. */
  isFile: boolean;
}

/** Flags that choose destinations. `--each` has one choice for each row. */
export interface OutputChoice {
  /** A file, a folder, or `-` for standard output. */
  output?: string | undefined;
  filename?: string | undefined;
  /** Path of the image for an image mark. It is an input, so no result may overwrite it. */
  image?: string | undefined;
  overwrite?: boolean | undefined;
  /** Path of the CSV file of a series. It is an input, too. */
  each?: string | undefined;
}

/** Adds the flags that choose the destination of a result. */
export function addOutputOptions(command: Command): void {
  const where =
    "Destination: a file, a folder (created if the name ends in /), or - for standard output. Default: next to FILE, or standard output if FILE is -.";
  command
    .addOption(valueOption(command, "-o, --output <path>", where))
    .option("--overwrite", "Allow the result to replace FILE itself.")
    .option("--dry-run", "Check everything and print the results, but write no file and pay nothing.")
    .option("--json", "Print one JSON object on stdout, and nothing else.");
}

/** Whether the file system treats `A.pdf` and `a.pdf` as the same name. */
const IGNORES_CASE = process.platform === "darwin" || process.platform === "win32";

/**
 * Returns a destination for each combination of a file and a choice. All destinations differ.
 * @returns one list for each choice, in the order of the files
 * @throws Failure if two destinations are equal, or if a destination is an input or cannot be written
 */
export async function findTargets(
  sources: readonly SourceFile[],
  choices: readonly OutputChoice[],
  io: Io,
): Promise<Target[][]> {
  const inputs = [...sources.map(({ path }) => path), ...new Set(choices.flatMap(({ image, each }) => [image, each]))];
  const read = await Promise.all(inputs.map(foundIfNamed));
  const taken = new Set<string>();
  const targets: Target[][] = [];
  for (const choice of choices) {
    const found: Target[] = [];
    for (const { path, source, isFolderMade } of await pathsOf(sources, choice)) {
      const key = IGNORES_CASE ? resolve(path).toLowerCase() : resolve(path);
      if (taken.has(key)) throw misuse(twiceAt(path, choice));
      taken.add(key);
      found.push(await targetAt(path, source, read, choice.overwrite ?? false, isFolderMade, io));
    }
    targets.push(found);
  }
  return targets;
}

function twiceAt(path: string, { each }: OutputChoice): string {
  const remedy = each === undefined ? "mark the files one by one" : `put a column of ${each} into --output`;
  return `two results would be written to ${path}: ${remedy}`;
}

/** Returns the path of each file's result. */
async function pathsOf(sources: readonly SourceFile[], { output, filename, each }: OutputChoice) {
  if (output === "") throw misuse("--output must not be empty");
  if ((sources.length > 1 || each !== undefined) && output === STANDARD)
    throw misuse("several files cannot go to standard output: name a folder with -o");
  const isNamedFolder = output !== undefined && /[/\\]$/.test(output);
  const isFolder = isNamedFolder || (output !== undefined && (await isDirectory(output)));
  if (sources.length > 1 && filename !== undefined)
    throw misuse("--filename works for one file only: leave it out for several");
  if (sources.length > 1 && output !== undefined && !isFolder)
    throw misuse(`several files need a folder: ${output} is not a folder; ${output}/ would be created`);
  return sources.map(({ path: source, stem, below, isPiped }) => {
    const name = filename === undefined ? `${stem}-watermarked.pdf` : filename.replace(/(\.pdf)?$/i, ".pdf");
    const beside = source === undefined ? name : join(dirname(source), name);
    const path = isFolder ? join(output, below, name) : (output ?? (isPiped && !filename ? STANDARD : beside));
    return { path, source, isFolderMade: isNamedFolder || (isFolder && below !== "") || each !== undefined };
  });
}

/**
 * Returns the destination at a path.
 * @param read all input files, including the result's own source
 * @param isFolderMade whether a missing folder is created
 */
async function targetAt(
  path: string,
  source: string | undefined,
  read: readonly Found[],
  overwrite: boolean,
  isFolderMade: boolean,
  { stdout }: Io,
): Promise<Target> {
  if (path === STANDARD) {
    if (stdout.isTTY)
      throw misuse("standard output is a terminal, which cannot show a PDF: name a file with -o, or use a pipe");
    return { path, isFile: false };
  }
  const there = await found(path);
  if (there?.isDirectory()) throw misuse(`${path} is a folder`);
  const folder = dirname(path);
  if (!isFolderMade && !(await isDirectory(folder))) throw misuse(`${path}: the folder ${folder} does not exist`);
  if (!there?.isFile()) return { path, isFile: !there };
  if (isSame(there, await foundIfNamed(source))) {
    if (!overwrite) throw misuse(`${path} is the source file: choose another with -o, or add --overwrite`);
  } else if (read.some((file) => isSame(there, file)))
    throw misuse(`${path} is an input and would be replaced: choose another with -o`);
  return { path, isFile: true };
}

type Found = Awaited<ReturnType<typeof found>>;

function isSame(one: Found, other: Found): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await found(path))?.isDirectory() ?? false;
}

async function foundIfNamed(path: string | undefined): Promise<Found> {
  return path === undefined ? undefined : found(path);
}

function found(path: string) {
  return stat(path, { bigint: true }).catch(() => undefined);
}

/**
 * A result that is being written. The file becomes visible only when it is complete, unless the result is written to a
 * pipe.
 */
export interface Writing {
  write(chunk: Uint8Array): Promise<void>;
  /** Moves the result to its destination. */
  complete(): Promise<void>;
  /** Deletes the incomplete result. */
  discard(): Promise<void>;
}

/**
 * Begins to write to a destination. A file is written under a temporary name and renamed when complete.
 * @throws Failure if the destination cannot be written
 */
export async function beginWriting({ path, isFile }: Target, { stdout }: Io): Promise<Writing> {
  const refuse = (error: unknown): never => {
    throw new Failure("unwritable", `${path}: ${reasonOf(error)}`);
  };
  if (path === STANDARD) return toStandardOutput(stdout);
  // replaces the file to which a symbolic link points, not the link
  const realPath = await realpath(path).catch(() => path);
  const mode = isFile ? ((await found(realPath))?.mode ?? 0o666n) : 0o666n;
  const temporary = isFile
    ? join(dirname(realPath), `.${basename(realPath)}.${randomBytes(4).toString("hex")}`)
    : realPath;
  if (isFile) await mkdir(dirname(realPath), { recursive: true }).catch(refuse);
  if (isStopping()) throw new Failure("unwritable", `${path}: the program is stopping`);
  const opening: Promise<FileHandle> = open(temporary, isFile ? "wx" : "w", Number(mode & 0o777n)).catch(refuse);
  const remove = async () => {
    await opening;
    if (isFile) rmSync(temporary, { force: true });
  };
  const unregister = whenStopped(remove); // registers before the file exists, because a signal may arrive at any time
  const file = await opening.catch((error: unknown) => {
    unregister();
    throw error;
  });
  return {
    async write(chunk) {
      for (let at = 0; at < chunk.length; )
        at += (await file.write(chunk, at, chunk.length - at).catch(refuse)).bytesWritten;
    },
    async complete() {
      await file.close().catch(refuse);
      if (isFile) await rename(temporary, realPath).catch(refuse);
      unregister();
    },
    async discard() {
      await file.close().catch(() => undefined);
      await remove();
      unregister();
    },
  };
}

function toStandardOutput(stdout: NodeJS.WritableStream): Writing {
  return {
    write: (chunk) =>
      new Promise((done, failed) => {
        stdout.write(chunk, (error) => (error ? failed(error) : done()));
      }),
    async complete() {},
    async discard() {},
  };
}
