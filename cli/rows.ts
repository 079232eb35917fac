/** Reads the rows of a CSV file (RFC 4180), and fills the columns of a row into a text or a file name. */
import { readFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse/sync";
import { unknownPlaceholder } from "../src/engine/index.ts";
import { misuse, reasonOf } from "./failure.ts";

/** Names of the columns, with the row's values. */
export type Row = Readonly<Record<string, string>>;

/** Separators of columns. The first line of a file shows which one the file uses. */
const SEPARATORS = [",", ";", "\t"];
/** A name in braces, or the escape for a brace. */
const BRACED = /\{\{|\{([^{}]*)\}/g;

/**
 * Reads the rows of a CSV file. The first line contains the names of the columns. Empty lines are skipped.
 * @throws Failure if the file cannot be read, is not UTF-8, has no rows, or is malformed
 */
export async function readRows(path: string): Promise<Row[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw misuse(`${path}: ${reasonOf(error)}`);
  });
  const rows = rowsIn(textOf(bytes, path), path);
  if (rows.length === 0) throw misuse(`${path}: the file has no rows below its first line`);
  return rows;
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw misuse(`${path}: the file is not UTF-8. Save it as "CSV UTF-8"`);
  }
}

function rowsIn(text: string, path: string): Row[] {
  const [first = ""] = text.replaceAll(/"[^"]*"/g, "").split(/\r?\n|\r/, 1);
  const [delimiter] = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length);
  try {
    const [names = [], ...rows]: string[][] = parse(text, {
      delimiter: delimiter!,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    });
    const double = names.find((name, at) => name !== "" && names.indexOf(name) < at);
    if (double) throw misuse(`${path}: two columns have the name ${double}`);
    return rows.map((row) =>
      Object.fromEntries(names.map((name, at) => [name, row[at]!] as const).filter(([name]) => name)),
    );
  } catch (error) {
    throw error instanceof CsvError ? misuse(`${path}: ${error.message}`) : error;
  }
}

/** Returns the columns of a row that a text or a name uses. */
export function columnsIn(template: string, row: Row): string[] {
  return namesIn(template).filter((name) => Object.hasOwn(row, name));
}

function namesIn(template: string): string[] {
  return Array.from(template.matchAll(BRACED), ([, name]) => name).filter((name) => name !== undefined);
}

/**
 * Fills the columns of a row into the text of a mark. Placeholders of the engine, such as `{page}`, remain.
 * @throws Failure if the text has a name in braces that is neither a column nor a placeholder, or that is both
 */
export function filledText(template: string, row: Row): string {
  for (const name of namesIn(template)) {
    const isColumn = Object.hasOwn(row, name);
    if (isColumn && isPlaceholder(name))
      throw misuse(`{${name}} in --text is a column and also a placeholder: rename the column`);
    if (!isColumn && !isPlaceholder(name))
      throw misuse(`{${name}} in --text is neither a column (${listOf(row)}) nor a placeholder such as {page}`);
  }
  return template.replaceAll(BRACED, (braced, name?: string) =>
    name !== undefined && Object.hasOwn(row, name) ? row[name]!.replaceAll("{", "{{") : braced,
  );
}

/** Returns whether the engine replaces a name in braces. */
function isPlaceholder(name: string): boolean {
  return /^[a-z_]+(:[a-z0-9_-]*)?$/i.test(name) && unknownPlaceholder(`{${name}}`) === undefined;
}

/**
 * Fills the columns of a row into the path of a result. A value becomes part of one name in the path: it can neither
 * add a folder nor lead out of the folder.
 * @param flag the flag with the path, for messages
 * @throws Failure if the path has a name in braces that is no column, or if a value has no usable character
 */
export function filledPath(flag: string, template: string, row: Row): string {
  return template.replaceAll(BRACED, (braced, name?: string) => {
    if (name === undefined) return braced;
    if (!Object.hasOwn(row, name)) throw misuse(`{${name}} in ${flag} is not a column (${listOf(row)})`);
    const value = row[name]!.normalize("NFC").toWellFormed();
    const part = value
      .replaceAll(/[\\/:*?"<>|\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, "-")
      .replace(/^[.\s-]+|[.\s]+$/g, "");
    if (part === "") throw misuse(`{${name}} in ${flag} has the value "${row[name]}", which cannot be part of a name`);
    return part;
  });
}

function listOf(row: Row): string {
  return Object.keys(row).join(", ");
}
