/** `@overprint/cli`: the program `overprint` without the commands that need a clone of the repository. */
import { start } from "../../cli/program.ts";

/** Runs the program as a process. `dist/overprint.js` calls this function. */
export const main = () => start([]);
