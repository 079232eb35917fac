/** The program `overprint` of a clone, which also has the commands that run the Worker. */
import { addDemo } from "./demo.ts";
import { addDev } from "./dev.ts";
import type { Io } from "./io.ts";
import { programWith, runWith, start } from "./program.ts";

const COMMANDS = [addDemo, addDev];

/** Returns the program with all its commands. */
export const programOf = (io: Io) => programWith(COMMANDS, io);

/** Runs the program with command-line arguments. Sets the exit code if it is not 0. */
export const run = (args: string[], io: Io) => runWith(COMMANDS, args, io);

/** Runs the program as a process. */
export const main = () => start(COMMANDS);
