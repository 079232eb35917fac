import { accountsOf } from "./account.ts";
import { type Asked, readAsked, USAGE } from "./asked.ts";
import { reportOf, wordsOf } from "./report.ts";

/** The environment in which the command runs. */
interface Surroundings {
  /** Path of a file of NAME=value lines, which may be missing. */
  settingsFile: string;
  /** Environment variables, which take precedence. */
  env: NodeJS.ProcessEnv;
  print: (text: string) => void;
  complain: (text: string) => void;
}

/**
 * Counts the sales of a deployment, reconciles them with the chain, and prints a report.
 * @returns the exit code: 1 if sales and transfers differ, 2 if the command fails, otherwise 0
 */
export async function revenue(
  args: string[],
  { settingsFile, env, print, complain }: Surroundings,
): Promise<0 | 1 | 2> {
  let asked: Asked | undefined;
  try {
    asked = await readAsked(args, settingsFile, env);
  } catch (error) {
    complain(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  if (!asked) {
    print(USAGE);
    return 0;
  }
  try {
    const report = reportOf(asked, await accountsOf(asked));
    print(asked.json ? JSON.stringify(report, null, 2) : wordsOf(report));
    return report.even === false ? 1 : 0;
  } catch (error) {
    complain((error as Error).message);
    return 2;
  }
}
