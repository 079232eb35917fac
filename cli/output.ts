import { randomBytes } from "node:crypto";
import { unlinkSync } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { Failure, misuse, reasonOf } from "./failure.ts";
import { valueOption } from "./fields.ts";
import { type SourceFile, STANDARD } from "./input.ts";
import { whenStopped } from "./interrupt.ts";
import type { Io } from "./io.ts";

/** Where the result of a file goes. */
export interface Target {
  /** A path, or `-`. */
  path: string;
  /** Is a regular file, or nothing yet: it is replaced as a whole, or not at all. */
  isFile: boolean;
}

/** What was said of outputs. */
export interface OutputChoice {
  /** A file, a folder, or `-`. */
  output?: string | undefined;
  filename?: string | undefined;
  /** The image that is laid over the pages: a file that is read, too. */
  image?: string | undefined;
  overwrite?: boolean | undefined;
}

/** Adds the flags that say where a result goes. */
export function addOutputOptions(command: Command): void {
  const where =
    "Where the result goes: a file, a folder, which is made if its name ends in /, or - for the standard output. Default: beside FILE, or there.";
  command
    .addOption(valueOption(command, "-o, --output <path>", where))
    .option("--overwrite", "The result may replace FILE itself.")
    .option("--json", "Print one JSON object on stdout, and nothing else.");
}

/**
 * Returns where the results of some files go, each somewhere else.
 * @throws Failure if two of them go to the same place, or one to a file that is read, or to where nothing can be written
 */
export async function findTargets(sources: readonly SourceFile[], choice: OutputChoice, io: Io): Promise<Target[]> {
  const { output, filename, image, overwrite = false } = choice;
  if (output === "") throw misuse("--output must not be empty");
  if (sources.length > 1 && output === STANDARD)
    throw misuse("several files do not go to the standard output: name a folder with -o");
  const isNamedFolder = output !== undefined && /[/\\]$/.test(output);
  const isFolder = isNamedFolder || (output !== undefined && (await isDirectory(output)));
  if (sources.length > 1 && filename !== undefined)
    throw misuse("--filename is for one file: several would be the same");
  if (sources.length > 1 && output !== undefined && !isFolder)
    throw misuse(`several files go to a folder: ${output} is none that is there, and ${output}/ would be made`);

  const targets: Target[] = [];
  const taken = new Set<string>();
  const read = await Promise.all([...sources.map((source) => source.path), image].map(foundIfNamed));
  for (const { path: source, stem, isPiped } of sources) {
    const name = filename === undefined ? `${stem}-watermarked.pdf` : filename.replace(/(\.pdf)?$/i, ".pdf");
    const beside = source === undefined ? name : join(dirname(source), name);
    const path = isFolder ? join(output, name) : (output ?? (isPiped && !filename ? STANDARD : beside));
    if (taken.has(resolve(path))) throw misuse(`two results would be ${path}: mark them one by one`);
    taken.add(resolve(path));
    targets.push(await targetAt(path, source, read, overwrite, isNamedFolder, io));
  }
  return targets;
}

/**
 * @param read the files that are read, each result's own source among them
 * @param isFolderMade whether its folder is made where there is none
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
    if (stdout.isTTY) throw misuse("a PDF is nothing for a terminal: name a file with -o, or send it on");
    return { path, isFile: false };
  }
  const there = await found(path);
  if (there?.isDirectory()) throw misuse(`${path} is a folder`);
  const folder = dirname(path);
  if (!isFolderMade && !(await isDirectory(folder))) throw misuse(`${path}: there is no folder ${folder}`);
  if (!there?.isFile()) return { path, isFile: !there };
  if (isSame(there, await foundIfNamed(source))) {
    if (!overwrite) throw misuse(`${path} is the file itself: choose another with -o, or say --overwrite`);
  } else if (read.some((file) => isSame(there, file)))
    throw misuse(`${path} is read for this, and would be replaced: choose another with -o`);
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

/** A result on its way. Nobody sees it until it is complete, unless it goes to a pipe. */
export interface Writing {
  write(chunk: Uint8Array): Promise<void>;
  /** Puts the result where it belongs. */
  complete(): Promise<void>;
  /** Takes away what there is of it. */
  discard(): Promise<void>;
}

/**
 * Begins to write to a target: beside it, under another name, which the result loses when it is complete.
 * @throws Failure if that cannot be done
 */
export async function beginWriting({ path, isFile }: Target, { stdout }: Io): Promise<Writing> {
  const refuse = (error: unknown): never => {
    throw new Failure("unwritable", `${path}: ${reasonOf(error)}`);
  };
  if (path === STANDARD) return toStandardOutput(stdout);
  const place = await realpath(path).catch(() => path); // a link stays, and what it leads to is replaced
  const mode = isFile ? ((await found(place))?.mode ?? 0o666n) : 0o666n;
  const temporary = isFile ? join(dirname(place), `.${basename(place)}.${randomBytes(4).toString("hex")}`) : place;
  if (isFile) await mkdir(dirname(place), { recursive: true }).catch(refuse);
  const file: FileHandle = await open(temporary, isFile ? "wx" : "w", Number(mode & 0o777n)).catch(refuse);
  const remove = () => {
    if (isFile) unlinkSync(temporary);
  };
  const forget = whenStopped(remove);
  return {
    async write(chunk) {
      for (let at = 0; at < chunk.length; )
        at += (await file.write(chunk, at, chunk.length - at).catch(refuse)).bytesWritten;
    },
    async complete() {
      await file.close().catch(refuse);
      if (isFile) await rename(temporary, place).catch(refuse);
      forget();
    },
    async discard() {
      await file.close().catch(() => undefined);
      remove();
      forget();
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
