import { runCommand, type Surroundings } from "../lib/command.ts";
import { accountsOf } from "./account.ts";
import { readAsked, USAGE } from "./asked.ts";
import { reportOf, wordsOf } from "./report.ts";

/**
 * Counts the sales of a deployment, reconciles them with the chain, and prints a report.
 * @returns the exit code: 1 if sales and transfers differ, 2 if the command fails, otherwise 0
 */
export function revenue(args: string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  const { settingsFile, env, print } = surroundings;
  return runCommand(
    surroundings,
    USAGE,
    () => readAsked(args, settingsFile, env),
    async (asked) => {
      const report = reportOf(asked, await accountsOf(asked));
      print(asked.json ? JSON.stringify(report, null, 2) : wordsOf(report));
      return report.even === false ? 1 : 0;
    },
  );
}
