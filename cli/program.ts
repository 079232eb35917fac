/** The program `overprint` with the commands that every installation has. Reports failures. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { nearest } from "../src/service/request/nearest.ts";
import { addBuy } from "./buy.ts";
import { addChannel } from "./channel.ts";
import { EXIT, type Failure, failureOf, misuse, reasonOf } from "./failure.ts";
import { handleSignals, isStopping } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { addMark } from "./mark.ts";
import { addPay } from "./pay.ts";
import { ROOT } from "./root.ts";
import { printJson, warn } from "./say.ts";

const HELP_COLUMNS = 100;

const AFTER = `
Exit codes: 0 done; 1 failed; 2 wrong flags, values or files (nothing was done); 3 possibly paid, but the file is not here
yet; 4 some files of a series were bought, others not; 130 stopped by Ctrl-C. Every failure is one line on stderr.`;

/** Adds a command to the program. */
export type AddCommand = (program: Command, io: Io) => void;

/** Returns the program. @param more further commands */
export function programWith(more: readonly AddCommand[], io: Io): Command {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const program = new Command("overprint")
    .description(
      "Puts a text or an image on every page of a PDF: on this machine for free, or through a service that is paid per call.",
    )
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? HELP_COLUMNS, HELP_COLUMNS) })
    .configureOutput({ writeOut: (text) => io.stdout.write(text), outputError() {}, writeErr() {} }) // commander prints no errors, because runWith() prints them
    .showSuggestionAfterError(false) // commander prints no suggestions, because misuseOf() adds them to the error
    .exitOverride()
    .addHelpText("after", AFTER);
  addMark(program, io);
  addBuy(program, io);
  addPay(program, io);
  addChannel(program, io);
  for (const add of more) add(program, io);
  return program;
}

/** Runs the program as a process, until it ends, a signal stops it, or the reader of its output disappears. */
export async function start(more: readonly AddCommand[]): Promise<void> {
  handleSignals();
  process.stderr.on("error", () => process.exit(EXIT.failed)); // without stderr, no message can be printed
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // EPIPE means that the reader of the output, such as `head`, has read enough
    if (error.code !== "EPIPE") warn(`overprint: standard output: ${reasonOf(error)}`, process);
    process.exit(EXIT.failed);
  });
  await runWith(more, process.argv.slice(2), process);
}

/** Runs the program with command-line arguments. Sets the exit code if it is not 0. */
export async function runWith(more: readonly AddCommand[], args: string[], io: Io): Promise<void> {
  const program = programWith(more, io);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (isStopping()) return;
    // commander has already printed the help or the version
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const { code, message, exitCode } =
      error instanceof CommanderError ? misuseOf(error, program, args) : failureOf(error);
    warn(`overprint: ${message}`, io);
    if (args.includes("--json")) printJson({ error: { code, message } }, io);
    io.exitCode = exitCode;
  }
}

/** Converts an error of commander to a one-line failure, with a suggestion for a misspelled name. */
function misuseOf(error: CommanderError, program: Command, [name, asked]: string[]): Failure {
  const { code, message } =
    // `help` with an unknown command; commander would print the program's help instead of an error
    error.code === "commander.help"
      ? { code: "commander.unknownCommand", message: asked ? `unknown command '${asked}'` : "a command is missing" }
      : error;
  const command = program.commands.find((known) => known.name() === name) ?? program;
  const known = {
    "commander.unknownOption": command.options.map(({ long }) => long ?? ""),
    "commander.unknownCommand": program.commands.map((other) => other.name()),
  }[code];
  const [, written = ""] = /'(.*)'/.exec(message) ?? [];
  const meant = known && nearest(written, known);
  const words = message.replace(/^error: /, "").replace(/\.$/, "") + (meant ? `: did you mean ${meant}? See` : "; see");
  return misuse(`${words} \`overprint${command === program ? "" : ` ${command.name()}`} --help\``);
}
