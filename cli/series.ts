/** A series: one result for each row of a CSV file (`--each`). */
import type { Command } from "commander";
import { Failure, failureOf, misuse } from "./failure.ts";
import { valueOption } from "./fields.ts";
import type { OutputChoice } from "./output.ts";
import { columnsIn, filledPath, filledText, type Row, readRows } from "./rows.ts";

/** Flags of a command that can make a series. */
export interface SeriesChoice extends OutputChoice {
  text?: string | undefined;
}

/** The flags of one row of a series, or of a command without a series. */
export interface Variant<Options> {
  options: Options;
  /** Name of the row in messages, such as `names.csv, row 2`. Undefined without a series. */
  row: string | undefined;
}

/** Adds the flag of a series to a command. */
export function addSeriesOption(command: Command): void {
  const each =
    "Make one result for each row of a CSV file. The first line names the columns. {name} in --text, --output or --filename stands for the value in the column name.";
  command.addOption(valueOption(command, "--each <csv>", each));
}

/**
 * Returns the flags of each row of the CSV file in `--each`, with the columns filled in. Without `--each`, returns the
 * flags as they are.
 * @throws Failure if the CSV file cannot be used, or if the text contains no column
 */
export async function variantsOf<Options extends SeriesChoice>(options: Options): Promise<Variant<Options>[]> {
  const { each, text, output, filename } = options;
  if (each === undefined) return [{ options, row: undefined }];
  const rows = await readRows(each);
  const fill = (row: Row): Options => ({
    ...options,
    ...(text !== undefined && { text: filledText(text, row) }),
    ...(output !== undefined && { output: filledPath("--output", output, row) }),
    ...(filename !== undefined && { filename: filledPath("--filename", filename, row) }),
  });
  const variants: Variant<Options>[] = [];
  for (const [at, row] of rows.entries()) {
    const label = `${each}, row ${at + 1}`;
    variants.push({ row: label, options: await inRow(label, () => fill(row)) });
  }
  if (columnsIn(text ?? "", rows[0]!).length === 0)
    throw misuse(`--each needs a column of ${each} in --text, such as {${Object.keys(rows[0]!)[0]}}`);
  return variants;
}

/** Runs a check of one row, and names the row in its failure. */
export async function inRow<Result>(row: string | undefined, check: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (row === undefined) throw error;
    const { code, message, exitCode } = failureOf(error);
    throw new Failure(code, `${row}: ${message}`, exitCode);
  }
}
