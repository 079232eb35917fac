import { accountsOf } from "./account.ts";
import { type Asked, readAsked, USAGE } from "./asked.ts";
import { reportOf, wordsOf } from "./report.ts";

/** What a run of the command has around it. */
interface Surroundings {
  /** Settings in NAME=value lines; there need not be one. */
  settingsFile: string;
  /** Has the last word. */
  env: NodeJS.ProcessEnv;
  print: (text: string) => void;
  complain: (text: string) => void;
}

/**
 * Counts what a deployment has sold, holds it against the chain, and tells.
 * @returns the exit code: 1 where sold is not what moved, 2 where that could not be found out
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
