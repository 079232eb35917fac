/** The environment in which a command runs. */
export interface Surroundings {
  /** Path of a file of NAME=value lines. The file may be missing. */
  settingsFile: string;
  /** Environment variables. They take precedence over the settings file. */
  env: NodeJS.ProcessEnv;
  print: (text: string) => void;
  complain: (text: string) => void;
}

/**
 * Runs a command, and prints its errors.
 * @param readAsked parses the arguments; returns undefined if they ask only for the usage
 * @param act runs the command with the parsed arguments, and returns the exit code
 * @returns the exit code: 2 if the command fails, otherwise that of `act`, or 0 for the usage
 */
export async function runCommand<A>(
  { print, complain }: Surroundings,
  usage: string,
  readAsked: () => Promise<A | undefined>,
  act: (asked: A) => Promise<0 | 1>,
): Promise<0 | 1 | 2> {
  let asked: A | undefined;
  try {
    asked = await readAsked();
  } catch (error) {
    complain(`${(error as Error).message}\n${usage}`);
    return 2;
  }
  if (!asked) {
    print(usage);
    return 0;
  }
  try {
    return await act(asked);
  } catch (error) {
    complain((error as Error).message);
    return 2;
  }
}
